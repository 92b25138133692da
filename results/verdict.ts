// What a trial, and a run of many, amounts to. Correctness outranks validity: a leaked duplicate is one however busy the
// machine was.

import type { Audit, Caveat, Run } from './run.ts';

export type Verdict = Run['verdict'];

/** A violation found by the audit, else numbers that must not be used, else an audit that could not tell, else valid. */
export function trialVerdict(audit: Pick<Audit, 'verdict'>, caveats: readonly Caveat[]): Verdict {
  if (audit.verdict === 'invalid') return 'violation';
  if (caveats.some((one) => one.severity === 'invalid')) return 'invalid';
  return audit.verdict === 'unknown' ? 'unknown' : 'valid';
}

const ranked: readonly Verdict[] = ['violation', 'invalid', 'unknown', 'valid'];

/** The worst of them; 'invalid' for none, since nothing was measured. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  return ranked.find((verdict) => verdicts.includes(verdict)) ?? 'invalid';
}

const exitCodes = { valid: 0, violation: 4, invalid: 6, unknown: 6 } as const;

/** Exit codes of the command line: 4 outranks 6. A run that cannot be judged has not passed. */
export function exitCodeOf(verdict: Verdict): 0 | 4 | 6 {
  return exitCodes[verdict];
}
