// Who is behind a subject: client subscriptions, at most one stream, at most one of the server's own services.

import type { Stream } from '../core/stream.ts';
import type { FrameWriter } from '../wire/frame-writer.ts';
import type { PublishFrame } from '../wire/client-frames.ts';

/** What delivering needs of a connection. */
export interface Receiver {
  readonly isClosed: boolean;
  /** Wants its own publishes back. */
  readonly echo: boolean;
  readonly headers: boolean;
  readonly writer: FrameWriter;
  /** Something was written to `writer`. */
  wrote(): void;
  /** Counts a delivery; false when the subscription has had all it asked for. */
  admitDelivery(subscription: ClientSubscription): boolean;
}

export interface ClientSubscription {
  readonly kind: 'client';
  readonly connection: Receiver;
  readonly pattern: string;
  readonly queue: string | null;
  readonly sid: string;
  readonly sidBytes: Uint8Array;
  deliveredCount: number;
  /** Ends after so many deliveries; 0 means never. */
  deliveredMax: number;
}

export interface StreamTap {
  readonly kind: 'stream';
  readonly stream: Stream;
}

/** A part of the server that answers requests. False when nobody is there after all: no responders. */
export interface Service {
  readonly kind: 'service';
  readonly handle: (frame: PublishFrame) => boolean;
}

export type Subscriber = ClientSubscription | StreamTap | Service;

export interface Route {
  readonly clients: readonly ClientSubscription[];
  readonly groups: readonly (readonly ClientSubscription[])[];
  readonly stream: Stream | null;
  readonly service: Service | null;
}

/** Sorts the subscribers that match together. */
export function routeOf(plain: readonly Subscriber[], queues: readonly (readonly Subscriber[])[]): Route {
  const isClient = (subscriber: Subscriber): subscriber is ClientSubscription => subscriber.kind === 'client';
  const tap = plain.find((subscriber): subscriber is StreamTap => subscriber.kind === 'stream');
  const service = plain.find((subscriber): subscriber is Service => subscriber.kind === 'service');
  return {
    clients: plain.filter(isClient),
    groups: queues.map((members) => members.filter(isClient)).filter((members) => members.length > 0),
    stream: tap?.stream ?? null,
    service: service ?? null,
  };
}
