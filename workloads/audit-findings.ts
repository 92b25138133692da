// What an audit says. Names are those of the stored record, so that it goes in as it is.

const auditClasses = [
  'lost-acknowledged',
  'duplicate-stored-in-window',
  'duplicate-stored-after-window',
  'false-duplicate',
  'ack-sequence-mismatch',
  'aborted-visible',
  'unexpected',
  'corrupt-body',
  'reordered-in-store',
  'undelivered',
  'duplicate-delivered',
  'redelivered-after-confirmed-ack',
  'refused-resend',
  'count-mismatch',
] as const;
export type AuditClass = (typeof auditClasses)[number];

/** 'violation' fails the run; 'configuration' is the user's setting at work; 'information' is neither. */
export type Severity = 'violation' | 'configuration' | 'information';

export interface Finding {
  readonly class: AuditClass;
  readonly severity: Severity;
  readonly count: number;
  readonly examples: string[];
}

export interface AuditTotals {
  readonly attemptedIds: number;
  readonly acknowledgedIds: number;
  readonly storedRead: number;
  readonly storedReported: number;
  readonly distinctIdsRead: number;
  readonly duplicateFlagged: number;
  readonly leakedInWindow: number;
  readonly leakedAfterWindow: number;
  readonly lost: number;
  readonly reordered: number;
  readonly unexpected: number;
  readonly deliveredDistinct: number;
  readonly deliveredDuplicates: number;
  readonly redeliveries: number;
  readonly refusedResends: number;
}

export interface Audit {
  readonly verdict: 'valid' | 'invalid' | 'unknown';
  /** Why unknown; empty otherwise. */
  readonly reasons: string[];
  readonly findings: Finding[];
  readonly totals: AuditTotals;
}

const exampleCountMax = 32;

const severities: Readonly<Record<AuditClass, Severity>> = {
  'lost-acknowledged': 'violation',
  'duplicate-stored-in-window': 'violation',
  'duplicate-stored-after-window': 'configuration',
  'false-duplicate': 'violation',
  'ack-sequence-mismatch': 'violation',
  'aborted-visible': 'violation',
  unexpected: 'violation',
  'corrupt-body': 'violation',
  'reordered-in-store': 'violation',
  undelivered: 'violation',
  'duplicate-delivered': 'information',
  'redelivered-after-confirmed-ack': 'violation',
  'refused-resend': 'configuration',
  'count-mismatch': 'violation',
};

/** Gathers findings; the text of an example is only made while there is room for it. */
export class Findings {
  readonly #counts = new Map<AuditClass, number>();
  readonly #examples = new Map<AuditClass, string[]>();
  readonly #isDeduplicated: boolean;

  /** Without message ids, a second copy inside the window is the configuration's doing. */
  constructor(isDeduplicated: boolean) {
    this.#isDeduplicated = isDeduplicated;
  }

  add(name: AuditClass, example: () => string): void {
    this.#counts.set(name, this.count(name) + 1);
    const examples = this.#examples.get(name) ?? [];
    if (examples.length < exampleCountMax) this.#examples.set(name, [...examples, example()]);
  }

  count(name: AuditClass): number {
    return this.#counts.get(name) ?? 0;
  }

  get hasViolation(): boolean {
    return this.list().some((finding) => finding.severity === 'violation');
  }

  /** Those that occurred, in the order of the classes. */
  list(): Finding[] {
    return auditClasses
      .filter((name) => this.count(name) > 0)
      .map((name) => ({
        class: name,
        severity: this.#severityOf(name),
        count: this.count(name),
        examples: this.#examples.get(name) ?? [],
      }));
  }

  #severityOf(name: AuditClass): Severity {
    const isExcused = name === 'duplicate-stored-in-window' && !this.#isDeduplicated;
    return isExcused ? 'configuration' : severities[name];
  }
}
