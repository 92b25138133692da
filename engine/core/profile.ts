// The corners in which releases differ, as data in one place (DESIGN D6). `strict` is what the documentation
// promises and what an engine should do (spec 5.8); `nats` is a named nats-server release as it is.

export type ProfileName = 'strict' | 'nats';

export interface Profile {
  readonly name: ProfileName;
  /** The release whose corners are followed, and which is announced unless the caller says otherwise. */
  readonly version: string;
  /** A known id answers `duplicate` before any expected-… header is looked at (releases up to 2.11, and strict). */
  readonly duplicateBeforeExpectations: boolean;
  /** One space behind the commas of a PubAck (2.9 to 2.11). */
  readonly spacedPubAck: boolean;
  /** Unknown fields in API requests are refused with 10025 (2.12 and later). */
  readonly strictJson: boolean;
  /** 503 status messages name the subject that nobody serves (2.12 and later). */
  readonly namesUnservedSubject: boolean;
  /** The first PING is answered with one more INFO (2.12 and later). */
  readonly secondInfo: boolean;
  /** An ack for a sequence that was never delivered gets no reply (2.10.23 and later). */
  readonly ignoresAckOfUndelivered: boolean;
  /** `num_redelivered` counts exhausted messages even when max_deliver is 1 (before 2.11.4, case C37). */
  readonly countsSingleDeliveryAsRedelivered: boolean;
  /** A rollup by a full subject replaces it instead of failing (2.14 and later, case C77). */
  readonly rollupPassesSubjectLimit: boolean;
  /** `Nats-TTL` on a stream without TTLs is refused with 10166 (2.11 and later, case C78). */
  readonly refusesTtl: boolean;
  /** Expected-last-subject-sequence for another subject is understood (2.11 and later, case C73). */
  readonly expectsOtherSubject: boolean;
}

/** The profile of that name; `version` picks the release whose wire forms it follows. */
export function profileOf(name: ProfileName, version: string): Profile {
  const from = (major: number, minor: number, patch = 0): boolean =>
    isAtLeast(version, [major, minor, patch]);
  const strict = name === 'strict';
  return {
    name,
    version,
    duplicateBeforeExpectations: strict || !from(2, 12),
    spacedPubAck: !strict && !from(2, 12),
    strictJson: strict || from(2, 12),
    namesUnservedSubject: strict || from(2, 12),
    secondInfo: strict || from(2, 12),
    ignoresAckOfUndelivered: strict || from(2, 10, 23),
    countsSingleDeliveryAsRedelivered: !strict && !from(2, 11, 4),
    rollupPassesSubjectLimit: strict || from(2, 14),
    refusesTtl: strict || from(2, 11),
    expectsOtherSubject: strict || from(2, 11),
  };
}

function isAtLeast(version: string, wanted: readonly [number, number, number]): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, least] of wanted.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
