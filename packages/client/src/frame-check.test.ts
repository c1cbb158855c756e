import { refusedReplySchema, serverFrameSchema } from '@parleyhq/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readFrame } from './frame-check.ts';
import { ParleyClient } from './parley-client.ts';
import { FakeServer, makeTurn } from './testing/index.ts';
import { connectDirect, type Pipe } from './transports/direct.ts';

/** The definition of a zod schema. */
interface Schema {
  // biome-ignore lint/suspicious/noExplicitAny: each kind of schema has a definition of its own
  readonly _zod: { readonly def: any };
  safeParse?(value: unknown): { readonly success: boolean };
}

/** Makes a value that the schema accepts, with required members only. */
function sampleOf({ _zod: { def } }: Schema): unknown {
  switch (def.type) {
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'string':
      return def.format === 'datetime' ? '2026-03-01T12:00:00.000Z' : 'text';
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [sampleOf(def.element)];
    case 'object': {
      const required = Object.entries<Schema>(def.shape).filter(([, member]) => member._zod.def.type !== 'optional');
      return Object.fromEntries(required.map(([name, member]) => [name, sampleOf(member)]));
    }
    case 'union':
      return sampleOf(def.options[0]);
    default:
      return {};
  }
}

type Faulty = [where: string, frame: unknown];

/** Returns variants of the sample, each with one member missing or null, at any depth. */
function breakEach(value: unknown, path: string[] = []): Faulty[] {
  if (Array.isArray(value)) return breakEach(value[0], [...path, '0']).map(([where, part]) => [where, [part]]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]): Faulty[] => {
    if (name === 'type' && path.length === 0) return [];
    const { [name]: _, ...others } = value as Record<string, unknown>;
    const at = [...path, name];
    const deeper = breakEach(member, at).map(([where, part]): Faulty => [where, { ...value, [name]: part }]);
    return [[`${at.join('.')} is missing`, others], [`${at.join('.')} is null`, { ...value, [name]: null }], ...deeper];
  });
}

const schemas: Schema[] = [...serverFrameSchema._zod.def.options, refusedReplySchema];

describe.each(schemas.map((schema) => [sampleOf(schema) as { type: string }, schema] as const))(
  '[FRM1] the frame $type',
  (sample, schema) => {
    const accepts = (frame: unknown) => schema.safeParse?.(frame).success;

    test('is accepted like the schema accepts it', () => {
      expect(accepts(sample)).toBe(true);
      expect(readFrame(JSON.stringify(sample))).toEqual({ kind: 'frame', frame: sample });
      expect(readFrame(JSON.stringify({ ...sample, more: 1 })).kind).toBe('frame');
    });

    test('is rejected if the schema rejects it', () => {
      const accepted = breakEach(sample)
        .filter(([, frame]) => !accepts(frame) && readFrame(JSON.stringify(frame)).kind !== 'faulty')
        .map(([where]) => where);
      expect(accepted).toEqual([]);
    });
  },
);

test('[FRM1, EVT5] an unknown frame is ignored; anything that is not a frame is faulty', () => {
  expect(readFrame('{"type":"later","sessionId":7}')).toEqual({ kind: 'unknown' });
  for (const text of ['', '{', '7', 'null', '[]', '{}', '{"type":7}', '{"type":"toString"}'].slice(0, -1)) {
    expect(readFrame(text).kind).toBe('faulty');
  }
  expect(readFrame('{"type":"toString"}').kind).toBe('unknown');
});

describe('a client of a faulty server', () => {
  let server: FakeServer;
  let client: ParleyClient;
  let pipe: Pipe;
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-03-31T12:00:00Z') });
    server = new FakeServer();
    server.addSession('s');
    pipe = undefined as never;
    client = new ParleyClient({
      transport: connectDirect(() => {
        pipe = server.openPipe();
        return pipe;
      }),
    });
    client.start();
  });
  afterEach(() => {
    client.stop();
    vi.useRealTimers();
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const subscriptions = () => server.received.filter(({ type }) => type === 'subscribe');

  test('[FRM1] reports a faulty frame and reads its session again, once per connection', async () => {
    const session = client.open('s');
    server.append('s', ...makeTurn(1));
    await settle();
    expect(session.state).toMatchObject({ phase: 'live', lastSeq: 9 });
    const { items } = session.state;
    pipe.onmessage?.(JSON.stringify({ type: 'chat_event', sessionId: 's', event: { seq: 10 } }));
    expect(client.state.fault).toBe('The server sent a faulty "chat_event".');
    await settle();
    expect(subscriptions()).toHaveLength(2);
    expect(subscriptions()[1]).not.toHaveProperty('cursor');
    expect(session.state).toMatchObject({ phase: 'live', lastSeq: 9, firstSeq: 1, items });
    pipe.onmessage?.(JSON.stringify({ type: 'stream', sessionId: 's' }));
    await settle();
    expect(subscriptions()).toHaveLength(2);
    expect(client.state.connection).toBe('open');
  });

  test('[FRM1] continues after invalid JSON, and after an unknown frame', async () => {
    await settle();
    pipe.onmessage?.('{"type":"later"}');
    expect(client.state.fault).toBeUndefined();
    pipe.onmessage?.('{');
    expect(client.state.fault).toBe('The server sent a faulty "text".');
    await expect(client.createSession({ title: 'Fine' })).resolves.toMatchObject({ title: 'Fine' });
  });

  test('[FRM1] a reply that cannot be read rejects its request', async () => {
    await settle();
    server.isAnswering = false;
    const made = client.createSession();
    await settle();
    const { requestId } = server.received.at(-1) as { requestId?: string };
    pipe.onmessage?.(JSON.stringify({ type: 'reply', requestId, ok: false }));
    await expect(made).rejects.toThrow('could not be read');
  });
});
