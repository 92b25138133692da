// Every chart of the report, in its order, with what to run when a result cannot fill it.

import type { Summary } from '../../results/summary.ts';
import { ackWaitLatencyFigure } from './ack-wait-latency.ts';
import type { Figure } from './figure.ts';
import { leakedDuplicatesFigure } from './leaked-duplicates.ts';
import { memoryFigure } from './memory.ts';
import { redeliveriesFigure } from './redeliveries.ts';
import { responseTimeFigure } from './response-time.ts';
import { spectrumFigure } from './spectrum.ts';
import { throughputFigure } from './throughput.ts';
import { windowRateMapFigure } from './window-rate-map.ts';

export interface ChartKind {
  readonly name: string;
  /** null where the results hold too little for it. */
  readonly draw: (summary: Summary) => Figure | null;
  /** What is missing, and the command that brings it. */
  readonly needs: string;
  readonly command: string;
}

export const chartKinds: readonly ChartKind[] = [
  {
    name: 'Throughput',
    draw: throughputFigure,
    needs: 'needs two or more publish rates on one target',
    command: 'oncemark run --workload publish --set rate=1k/s..64k/s:x2',
  },
  {
    name: 'Response time',
    draw: responseTimeFigure,
    needs: 'needs two or more publish rates in open loop',
    command: 'oncemark run --workload publish --set rate=1k/s..64k/s:x2',
  },
  {
    name: 'Percentile spectrum',
    draw: spectrumFigure,
    needs: 'needs a usable trial with at least 1 000 messages',
    command: 'oncemark run --workload publish',
  },
  {
    name: 'Leaked duplicates',
    draw: leakedDuplicatesFigure,
    needs: 'needs publishers that retry',
    command: 'oncemark run --workload publish-retry',
  },
  {
    name: 'Redeliveries',
    draw: redeliveriesFigure,
    needs: 'needs consumers with a handling time',
    command: 'oncemark run --workload consume',
  },
  {
    name: 'Latency against AckWait',
    draw: ackWaitLatencyFigure,
    needs: 'needs two or more values of AckWait and messages that are delivered while they are published',
    command: 'oncemark run --workload consume --set ack-wait=100ms..2s:x2',
  },
  {
    name: 'Memory over time',
    draw: memoryFigure,
    needs: 'needs a target whose process or monitoring can be observed',
    command: 'oncemark run --target engine',
  },
  {
    name: 'Window × rate',
    draw: windowRateMapFigure,
    needs: 'needs two or more windows at two or more rates',
    command: 'oncemark run --workload publish --set rate=4k/s..16k/s:x2 --set window=1s..4s:x2',
  },
];
