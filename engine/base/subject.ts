// NATS subjects: tokens joined by '.', where '*' stands for one token and a last '>' for one or more (spec 1.3).

const dot = 46;
const star = 42;
const greater = 62;

/**
 * Whether the text can be subscribed to or, with `allowWildcards` false, published to: no empty token, no
 * whitespace, '>' only last. `foo*` and `foo>` are literal tokens (spec 1.3).
 */
export function isValidSubject(subject: string, allowWildcards: boolean): boolean {
  if (/[ \t\n\f\r]/.test(subject)) return false;
  let at = 0;
  for (;;) {
    const end = tokenEnd(subject, at);
    if (end === at) return false;
    if (isToken(subject, at, end, star) && !allowWildcards) return false;
    if (isToken(subject, at, end, greater) && !(allowWildcards && end === subject.length)) return false;
    if (end === subject.length) return true;
    at = end + 1;
  }
}

/** Whether a valid pattern matches a valid subject. A wildcard in the subject is taken as a plain token (spec 1.3). */
export function subjectMatches(pattern: string, subject: string): boolean {
  let patternAt = 0;
  let subjectAt = 0;
  for (;;) {
    const patternEnd = tokenEnd(pattern, patternAt);
    const subjectEnd = tokenEnd(subject, subjectAt);
    if (isToken(pattern, patternAt, patternEnd, greater)) return true;
    if (!isToken(pattern, patternAt, patternEnd, star)) {
      if (!sameToken(pattern, patternAt, patternEnd, subject, subjectAt, subjectEnd)) return false;
    }
    if (patternEnd === pattern.length || subjectEnd === subject.length) {
      return patternEnd === pattern.length && subjectEnd === subject.length;
    }
    patternAt = patternEnd + 1;
    subjectAt = subjectEnd + 1;
  }
}

/** Whether some subject is matched by both patterns: streams of one account may not overlap (spec 3). */
export function patternsOverlap(left: string, right: string): boolean {
  let leftAt = 0;
  let rightAt = 0;
  for (;;) {
    const leftEnd = tokenEnd(left, leftAt);
    const rightEnd = tokenEnd(right, rightAt);
    if (isToken(left, leftAt, leftEnd, greater) || isToken(right, rightAt, rightEnd, greater)) return true;
    if (!isToken(left, leftAt, leftEnd, star) && !isToken(right, rightAt, rightEnd, star)) {
      if (!sameToken(left, leftAt, leftEnd, right, rightAt, rightEnd)) return false;
    }
    if (leftEnd === left.length || rightEnd === right.length) {
      return leftEnd === left.length && rightEnd === right.length;
    }
    leftAt = leftEnd + 1;
    rightAt = rightEnd + 1;
  }
}

function tokenEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && text.charCodeAt(end) !== dot) end += 1;
  return end;
}

function isToken(text: string, start: number, end: number, character: number): boolean {
  return end === start + 1 && text.charCodeAt(start) === character;
}

function sameToken(
  left: string,
  leftStart: number,
  leftEnd: number,
  right: string,
  rightStart: number,
  rightEnd: number,
): boolean {
  if (leftEnd - leftStart !== rightEnd - rightStart) return false;
  for (let offset = leftEnd - leftStart - 1; offset >= 0; offset -= 1) {
    if (left.charCodeAt(leftStart + offset) !== right.charCodeAt(rightStart + offset)) return false;
  }
  return true;
}
