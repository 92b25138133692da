// The protocol read the slow way, from a whole session at once, to check the fast readers against.
import type { FrameEvent } from './recorded.ts';

const clientLine = /^(PUB|HPUB|SUB|UNSUB)[ \t]([^\n]*)\n|^(PING|PONG)[^\n]*\n|^CONNECT([^\n]*)\n/i;

/** Events of a client's session that is valid but may end in the middle of a frame. */
export function dumbClientEvents(session: string): FrameEvent[] {
  const events: FrameEvent[] = [];
  let rest = session;
  for (;;) {
    const match = clientLine.exec(rest);
    if (match === null) return events;
    rest = rest.slice(match[0].length);
    const operation = match[1]?.toUpperCase();
    const words = (match[2] ?? '').split(/[ \t\r]+/).filter((word) => word !== '');
    if (match[3] !== undefined) {
      events.push([match[3].toLowerCase()]);
    } else if (match[4] !== undefined) {
      events.push(['connect', match[4].trim()]);
    } else if (operation === 'SUB') {
      events.push(['subscribe', words[0]!, words.length === 3 ? words[1]! : null, words.at(-1)!]);
    } else if (operation === 'UNSUB') {
      events.push(['unsubscribe', words[0]!, Number(words[1] ?? 0)]);
    } else {
      const total = Number(words.pop());
      const header = operation === 'HPUB' ? Number(words.pop()) : 0;
      if (rest.length < total + 2) return events;
      events.push(['publish', words[0]!, words[1] ?? '', rest.slice(0, header), rest.slice(header, total)]);
      rest = rest.slice(total + 2);
    }
  }
}

const messageLine = /^(H?)MSG[ \t]([^\n]*)\n/i;
const plainLine = /^(\+OK|-ERR|PING|PONG|INFO)([^\n]*)\n/i;
const plainNames: Record<string, string> = { '+OK': 'ok', PING: 'ping', PONG: 'pong' };

/** The same for a server's session. */
export function dumbServerEvents(session: string): FrameEvent[] {
  const events: FrameEvent[] = [];
  let rest = session;
  for (;;) {
    const plain = plainLine.exec(rest);
    const message = messageLine.exec(rest);
    if (plain !== null) {
      const operation = plain[1]!.toUpperCase();
      const text = plain[2]!.trim();
      if (operation === 'INFO') events.push(['info', text]);
      else if (operation === '-ERR') events.push(['error', text.slice(1, -1)]);
      else events.push([plainNames[operation]!]);
      rest = rest.slice(plain[0].length);
    } else if (message !== null) {
      const words = message[2]!.split(/[ \t\r]+/).filter((word) => word !== '');
      const total = Number(words.pop());
      const header = message[1] === '' ? 0 : Number(words.pop());
      const body = rest.slice(message[0].length);
      if (body.length < total + 2) return events;
      const status = Number(/^NATS\/1\.0 (\d{3})/.exec(body.slice(0, header))?.[1] ?? 0);
      events.push([
        'message',
        words[0]!,
        words[1]!,
        words[2] ?? '',
        status,
        body.slice(0, header),
        body.slice(header, total),
      ]);
      rest = body.slice(total + 2);
    } else return events;
  }
}
