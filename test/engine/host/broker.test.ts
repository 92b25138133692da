// The server without sockets: core NATS and JetStream as clients see them.

import { describe, expect, it } from 'vitest';

import { publishText, VirtualBroker } from '../../support/virtual-broker.ts';

const second = 1e9;

describe('core NATS', () => {
  it('delivers to every match, and to one of each queue group', () => {
    const server = new VirtualBroker();
    const [publisher, plain, one, two] = [server.client(), server.client(), server.client(), server.client()];
    plain.subscribe('a.*', 1);
    one.subscribe('a.>', 1, 'workers');
    two.subscribe('a.b', 1, 'workers');
    for (let count = 0; count < 100; count += 1) publisher.publish('a.b', String(count));
    expect(plain.messages.map(({ body }) => body)).toEqual(
      Array.from({ length: 100 }, (_, index) => String(index)),
    );
    expect(one.messages.length + two.messages.length).toBe(100);
    expect(Math.min(one.messages.length, two.messages.length)).toBeGreaterThan(20);
  });

  it('a queue member that is gone is passed over', () => {
    const server = new VirtualBroker();
    const [publisher, one, two] = [server.client(), server.client(), server.client()];
    one.subscribe('a', 1, 'workers');
    two.subscribe('a', 1, 'workers');
    one.send('UNSUB 1\r\n');
    for (let count = 0; count < 20; count += 1) publisher.publish('a');
    expect([one.messages.length, two.messages.length]).toEqual([0, 20]);
  });

  it('echo is given unless declined', () => {
    const server = new VirtualBroker();
    const [loud, quiet] = [server.client(), server.client({ echo: false })];
    for (const client of [loud, quiet]) client.subscribe('a', 1);
    loud.publish('a', 'from loud');
    quiet.publish('a', 'from quiet');
    expect(loud.messages.map(({ body }) => body)).toEqual(['from loud', 'from quiet']);
    expect(quiet.messages.map(({ body }) => body)).toEqual(['from loud']);
  });

  it('UNSUB with a maximum counts from the subscription (A4)', () => {
    const server = new VirtualBroker();
    const client = server.client();
    client.subscribe('a', 1);
    client.publish('a');
    client.send('UNSUB 1 3\r\n');
    for (let count = 0; count < 5; count += 1) client.publish('a');
    expect(client.messages).toHaveLength(3);
    expect(client.connection.subscriptions.size).toBe(0);
    client.subscribe('a', 1);
    client.publish('a');
    client.send('UNSUB 1 1\r\n');
    client.publish('a');
    expect(client.messages).toHaveLength(4);
  });

  it('verbose clients hear +OK before what their publish causes (spec 1.2)', () => {
    const client = new VirtualBroker().client({ verbose: true, protocol: 0 });
    client.send('SUB a 1\r\nPUB a 0\r\n\r\nUNSUB 1\r\n');
    expect(client.lines.slice(1)).toEqual(['+OK', '+OK', '+OK', '+OK']);
    expect(client.messages).toHaveLength(1);
  });

  it('a request that nobody serves hears so, on its own inbox and nowhere else (A2)', () => {
    const server = new VirtualBroker();
    const [client, other] = [server.client(), server.client()];
    other.subscribe('_INBOX.>', 9);
    expect(client.request('nobody').map(({ header }) => header)).toEqual([
      'NATS/1.0 503\r\nNats-Subject: nobody\r\n\r\n',
    ]);
    expect(other.messages).toEqual([]);
    const silent = server.client({ no_responders: false });
    expect(silent.request('nobody')).toEqual([]);
  });

  it('clients without headers get the payload alone', () => {
    const server = new VirtualBroker();
    const [sender, plain] = [server.client(), server.client({ headers: false, no_responders: false })];
    plain.subscribe('a', 1);
    sender.publish('a', 'body', { headers: { X: '1' } });
    expect(plain.messages[0]).toMatchObject({ header: '', body: 'body' });
  });
});

describe('limits', () => {
  it('a client that does not read is closed at max_pending, counted, and without a word', () => {
    const server = new VirtualBroker({ config: 'max_payload: 100, max_pending: 1000' });
    const [publisher, slow] = [server.client(), server.client()];
    slow.subscribe('a', 1);
    slow.pendingBytes = 1000;
    publisher.publish('a');
    expect(slow.isClosed).toBe(false);
    slow.pendingBytes = 1001;
    publisher.publish('a');
    expect([slow.isClosed, server.broker.slowConsumerCount, server.broker.connections.size]).toEqual([
      true,
      1,
      1,
    ]);
    expect(slow.lines.filter((line) => line.startsWith('-ERR'))).toEqual([]);
    publisher.publish('a');
    expect(server.broker.router.subscriptionCount).toBe(1); // the API's own
  });

  it('a payload above max_payload ends the connection (A5)', () => {
    const client = new VirtualBroker({ config: 'max_payload: 100' }).client();
    client.publish('a', 'x'.repeat(100));
    expect(client.isClosed).toBe(false);
    client.publish('a', 'x'.repeat(101));
    expect([client.lines.at(-1), client.isClosed]).toEqual(["-ERR 'Maximum Payload Violation'", true]);
  });

  it('one subscription too many is refused, and the connection stays', () => {
    const client = new VirtualBroker({ config: 'max_subscriptions: 2' }).client();
    for (const sid of [1, 2, 3]) client.subscribe('a', sid);
    expect(client.lines.at(-1)).toBe("-ERR 'maximum subscriptions exceeded'");
    client.publish('a');
    expect(client.messages.map(({ sid }) => sid)).toEqual(['1', '2']);
    client.send('UNSUB 1\r\n');
    client.subscribe('a', 3);
    expect(client.connection.subscriptions.size).toBe(2);
  });

  it('a control line may be no longer than a subject in the log', () => {
    expect(() => new VirtualBroker({ config: 'max_control_line: 65536' })).toThrow('max_control_line');
    const client = new VirtualBroker({ config: 'max_control_line: 65535' }).client();
    client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'] });
    const subject = `t.${'x'.repeat(65_000)}`;
    expect(client.store(subject, 'kept')).toEqual({ stream: 'T', seq: 1 });
    expect(client.api('STREAM.MSG.GET.T', { seq: 1 })).toMatchObject({
      message: { subject, data: 'a2VwdA==' },
    });
  });

  it('one connection too many is told and closed', () => {
    const server = new VirtualBroker({ config: 'max_connections: 1' });
    const [first, second] = [server.client(), server.client(null)];
    expect([first.isClosed, second.isClosed, second.lines.at(-1)]).toEqual([
      false,
      true,
      "-ERR 'maximum connections exceeded'",
    ]);
  });

  it('a control line that is too long ends the connection', () => {
    const client = new VirtualBroker().client();
    client.send(`SUB ${'x'.repeat(5000)} 1\r\n`);
    expect([client.lines.at(-1), client.isClosed]).toEqual(["-ERR 'maximum control line exceeded'", true]);
  });
});

describe('authorization', () => {
  const violated = "-ERR 'Authorization Violation'";

  it.each([
    [
      'user and password',
      { user: 'ada', pass: 's3cret' },
      { user: 'ada', pass: 's3cret' },
      { user: 'ada', pass: 'wrong' },
    ],
    ['a token', { auth: 't0ken' }, { auth_token: 't0ken' }, { auth_token: 'wrong' }],
    ['a user, and none given', { user: 'ada', pass: 's3cret' }, { user: 'ada', pass: 's3cret' }, {}],
  ])('by %s', (_, flags, right, wrong) => {
    const server = new VirtualBroker({ flags });
    const [friend, stranger] = [server.client(right), server.client(wrong)];
    expect(JSON.parse((friend.lines[0] ?? '').slice(5))).toMatchObject({ auth_required: true });
    friend.subscribe('a', 1);
    friend.publish('a');
    expect([friend.messages.length, friend.isClosed]).toEqual([1, false]);
    expect([stranger.lines.at(-1), stranger.isClosed]).toEqual([violated, true]);
  });

  it('nothing but CONNECT is taken before it', () => {
    const server = new VirtualBroker({ flags: { auth: 't0ken' } });
    for (const frame of ['PING\r\n', 'SUB a 1\r\n', 'PUB a 0\r\n\r\n', 'UNSUB 1\r\n']) {
      const client = server.client(null);
      client.send(frame);
      expect([client.lines.at(-1), client.isClosed]).toEqual([violated, true]);
    }
    expect(server.broker.messagesIn).toBe(0);
  });
});

describe('JetStream', () => {
  function withStream(config: object = {}): {
    server: VirtualBroker;
    client: ReturnType<VirtualBroker['client']>;
  } {
    const server = new VirtualBroker();
    const client = server.client();
    client.api('STREAM.CREATE.T', { name: 'T', subjects: ['t.>'], ...config });
    return { server, client };
  }

  it('answers each outcome of a publish', () => {
    const { client } = withStream({ max_msgs: 2, discard: 'new' });
    const id = { 'Nats-Msg-Id': 'a' };
    expect(client.store('t.a', 'x', id)).toEqual({ stream: 'T', seq: 1 });
    expect(client.store('t.a', 'x', id)).toEqual({ stream: 'T', seq: 1, duplicate: true });
    expect(client.store('t.a', 'x', { 'Nats-Expected-Stream': 'X' })).toEqual({
      error: { code: 400, err_code: 10060, description: 'expected stream does not match' },
      stream: 'T',
      seq: 0,
    });
    expect(client.store('t.a')).toEqual({ stream: 'T', seq: 2 });
    expect(client.store('t.a')).toMatchObject({
      error: { code: 503, err_code: 10077, description: 'maximum messages exceeded' },
    });
    expect(client.store('u.a')).toEqual({ status: 'NATS/1.0 503\r\nNats-Subject: u.a\r\n\r\n' });
  });

  it('a retry in the same turn as its original is a duplicate of it', () => {
    const { client } = withStream();
    client.subscribe('_INBOX.x', 5);
    const frame = publishText('t.a', 'x', { reply: '_INBOX.x', headers: { 'Nats-Msg-Id': 'a' } });
    client.send(frame + frame + frame);
    expect(client.on(5).map(({ body }) => body)).toEqual([
      '{"stream":"T","seq":1}',
      ...Array<string>(2).fill('{"stream":"T","seq":1,"duplicate": true}'),
    ]);
  });

  it('a stream with no_ack is silent', () => {
    const { client } = withStream({ no_ack: true });
    expect(client.request('t.a')).toEqual([]);
    expect(client.api('STREAM.INFO.T')['state']).toMatchObject({ messages: 1 });
  });

  it('subscribers and the stream both get a message', () => {
    const { client } = withStream();
    client.subscribe('t.*', 5);
    client.publish('t.a', 'x');
    expect(client.on(5)).toHaveLength(1);
    expect(client.api('STREAM.INFO.T')['state']).toMatchObject({ messages: 1 });
  });

  it('a stream over advisories keeps the dead letters (C103)', () => {
    const { server, client } = withStream({ retention: 'workqueue' });
    client.api('STREAM.CREATE.DEAD', { name: 'DEAD', subjects: ['$JS.EVENT.ADVISORY.CONSUMER.>'] });
    client.api('CONSUMER.CREATE.T.c', {
      stream_name: 'T',
      config: { durable_name: 'c', ack_policy: 'explicit', max_deliver: 2, ack_wait: second },
    });
    client.store('t.a', 'poison');
    client.pull('T', 'c', { batch: 5 });
    server.pass(3 * second);
    const got = client.api('STREAM.MSG.GET.DEAD', {
      last_by_subj: '$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.T.c',
    })['message'] as { data: string };
    expect(JSON.parse(Buffer.from(got.data, 'base64').toString())).toMatchObject({
      type: 'io.nats.jetstream.advisory.v1.max_deliver',
      stream: 'T',
      consumer: 'c',
      stream_seq: 1,
      deliveries: 2,
    });
  });

  it('a stream over inboxes stores its PubAcks, and those of others, once each (C107)', () => {
    const { client } = withStream();
    client.api('STREAM.CREATE.I', { name: 'I', subjects: ['_INBOX.>'], storage: 'memory' });
    client.api('STREAM.PURGE.I');
    const before = (client.api('STREAM.INFO.I')['state'] as { last_seq: number }).last_seq;
    const count = (): number =>
      (client.api('STREAM.INFO.I')['state'] as { last_seq: number }).last_seq - before;
    // Each look at the state is itself answered on an inbox, hence one more.
    client.store('t.a', 'x', { 'Nats-Msg-Id': 'a' });
    expect(count()).toBe(2);
    client.store('t.a', 'x', { 'Nats-Msg-Id': 'a' });
    expect(count()).toBe(4);
    client.store('t.a', 'x', { 'Nats-Expected-Stream': 'X' });
    expect(count()).toBe(6);
    client.publish('_INBOX.v.direct', 'stored with an ack', { reply: '_INBOX.v.ack' });
    expect(count()).toBe(9);
  });

  it('direct get gives the message as it is stored, with headers added (spec 2.6)', () => {
    const { client } = withStream({ allow_direct: true });
    client.store('t.a', 'one', { X: '1' });
    client.store('t.b', 'two');
    const [byText] = client.request('$JS.API.DIRECT.GET.T.t.b');
    expect(byText).toMatchObject({ body: 'two' });
    expect(byText?.header).toBe(
      'NATS/1.0\r\nNats-Stream: T\r\nNats-Subject: t.b\r\nNats-Sequence: 2\r\nNats-Time-Stamp: 2027-01-15T08:00:00Z\r\n\r\n',
    );
    const [bySequence] = client.request('$JS.API.DIRECT.GET.T', '{"seq":1}');
    expect(bySequence?.header.startsWith('NATS/1.0\r\nX: 1\r\nNats-Stream: T\r\n')).toBe(true);
    expect(client.request('$JS.API.DIRECT.GET.T', '{"seq":9}')[0]?.header).toBe(
      'NATS/1.0 404 Message Not Found\r\n\r\n',
    );
    expect(client.request('$JS.API.DIRECT.GET.T')[0]?.header).toBe('NATS/1.0 408 Empty Request\r\n\r\n');
    expect(client.request('$JS.API.DIRECT.GET.T', '{"seq":1,"last_by_subj":"t.a"}')[0]?.header).toBe(
      'NATS/1.0 408 Bad Request\r\n\r\n',
    );
  });

  it('a consumer without acks gets what an interest stream lets go at delivery (spec 6.9)', () => {
    const { client } = withStream({ retention: 'interest' });
    client.api('CONSUMER.CREATE.T.c', {
      stream_name: 'T',
      config: { durable_name: 'c', ack_policy: 'none' },
    });
    client.store('t.a', 'kept until here');
    const sid = client.pull('T', 'c');
    expect(client.on(sid).map(({ body }) => body)).toEqual(['kept until here']);
    expect(client.api('STREAM.INFO.T')['state']).toMatchObject({ messages: 0, first_seq: 2 });
  });

  it('a filter that no longer wants a message lets it go, on an interest stream', () => {
    const { client } = withStream({ retention: 'interest' });
    const config = (filter: string): object => ({
      stream_name: 'T',
      config: { durable_name: 'c', ack_policy: 'explicit', filter_subject: filter },
    });
    client.api('CONSUMER.CREATE.T.c', config('t.>'));
    for (const subject of ['t.a', 't.b', 't.a']) client.store(subject);
    expect(client.api('CONSUMER.CREATE.T.c', config('t.b'))).toMatchObject({ num_pending: 1 });
    expect(client.api('STREAM.INFO.T')['state']).toMatchObject({ messages: 1, first_seq: 2 });
  });

  it('requests with numbers that are none are refused, and the server lives on', () => {
    const { client } = withStream();
    client.store('t.a');
    const bad: readonly [call: string, body: object][] = [
      ['STREAM.MSG.GET.T', { seq: 1.5 }],
      ['STREAM.MSG.GET.T', { start_time: 'noon' }],
      ['STREAM.MSG.DELETE.T', { seq: 1.5 }],
      ['STREAM.MSG.DELETE.T', { seq: -1 }],
      ['STREAM.PURGE.T', { keep: 1.5 }],
      ['STREAM.PURGE.T', { keep: -1 }],
      ['STREAM.PURGE.T', { seq: -1 }],
      ['STREAM.CREATE.U', { name: 'U', first_seq: 1.5 }],
      [
        'CONSUMER.CREATE.T.c',
        { stream_name: 'T', config: { deliver_policy: 'by_start_sequence', opt_start_seq: 1.5 } },
      ],
    ];
    for (const [call, body] of bad) {
      expect(client.api(call, body), call).toMatchObject({ error: { err_code: 10025 } });
    }
    expect(client.api('STREAM.INFO.T')['state']).toMatchObject({ messages: 1 });
  });

  it('a server without JetStream has no API', () => {
    const client = new VirtualBroker({ flags: { jetstream: false } }).client();
    expect(client.request('$JS.API.INFO')[0]?.header).toContain('503');
    expect(JSON.parse((client.lines[0] ?? '').slice(5))).not.toHaveProperty('jetstream');
  });
});
