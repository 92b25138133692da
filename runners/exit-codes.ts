/** How a command ends. A correctness violation outranks an invalid run. */
export const exitCodes = {
  ok: 0,
  regression: 1,
  usage: 2,
  inconclusive: 3,
  violation: 4,
  environmentMismatch: 5,
  invalid: 6,
  /** A broken contract of ours, as sysexits.h numbers it. */
  crash: 70,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
