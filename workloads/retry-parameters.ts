// Parameters of publishers that lose PubAcks and send the same id again.

import { distributionOf, numberOf, demand } from './parameters.ts';
import type { ParameterValues, RetryPlan } from './workload.ts';

export function retryPlan(values: ParameterValues): RetryPlan {
  const attemptsMax = numberOf(values, 'attempts');
  demand(attemptsMax >= 1 && attemptsMax <= 255, 'attempts', attemptsMax, 'is not in 1 to 255');
  return {
    lostAckProbability: numberOf(values, 'lost-ack'),
    delay: distributionOf(values, 'retry-delay'),
    horizonNs: numberOf(values, 'retry-horizon'),
    attemptsMax,
  };
}
