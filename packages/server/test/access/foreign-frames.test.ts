import { randomUUID } from 'node:crypto';
import type { AccessToken, InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import { Random } from '../support/random.ts';
import type { Reply, Sendable, Tab } from '../support/tab.ts';

const approve = await loadPlugin('approve.mjs');
const server = useGuardedServer({ plugins: [approve] });

const seed = Math.floor(Math.random() * 2 ** 32);
const visits = 6;
const framesAVisit = 60;

/** What an attacker knows about a session: its id and its latest prompt. */
interface Place {
  readonly id: string;
  prompt: InteractionRequest | undefined;
}

/** Sends every kind of frame to its own and others' sessions, over one connection after the other. */
class Meddler {
  readonly tabs: Tab[] = [];
  readonly #random: Random;
  readonly #places: readonly Place[];
  readonly #enter: () => Promise<Tab>;
  readonly #isSparing: boolean;

  constructor(enter: () => Promise<Tab>, places: readonly Place[], random: Random, isSparing = false) {
    this.#enter = enter;
    this.#places = places;
    this.#random = random;
    this.#isSparing = isSparing;
  }

  async wander(judge: (place: Place, tab: Tab, frame: Sendable, reply: Reply) => Promise<void>): Promise<void> {
    for (let visit = 0; visit < visits; visit += 1) {
      const tab = await this.#enter();
      this.tabs.push(tab);
      for (let n = 0; n < framesAVisit; n += 1) {
        const place = this.#random.pick(this.#places);
        const frame = this.#choose(place);
        await judge(place, tab, frame, await tab.request(frame));
      }
      await tab.close();
    }
  }

  #choose({ id: sessionId, prompt }: Place): Sendable {
    const { toolCallId: callId = 'c', interactionId = 'c.1', digest = '' } = prompt ?? {};
    const answer = { callId, interactionId, digest };
    const words = `of ${sessionId}`; // so that a leak shows where it came from
    const frames: Sendable[] = [
      { type: 'subscribe', sessionId },
      { type: 'subscribe', sessionId, tail: this.#random.below(5) },
      { type: 'unsubscribe', sessionId },
      { type: 'read_events', sessionId, before: 1 + this.#random.below(50), limit: 20 },
      { type: 'list_sessions', before: sessionId },
      { type: 'list_sessions', query: words },
      { type: 'update_session', sessionId, title: `Title ${words}` },
      { type: 'user_message', sessionId, messageId: randomUUID(), text: `/call wipe {"path":"${words}"}` },
      { type: 'user_message', sessionId, messageId: randomUUID(), text: `/stream 5 1` },
      { type: 'cancel_turn', sessionId },
      { type: 'draft', sessionId, interactionId, values: { words } },
      { type: 'tool_interaction_response', sessionId, ...answer, action: 'approve', approvalScope: 'session' },
      { type: 'tool_interaction_response', sessionId, ...answer, action: 'deny', reason: words },
      { type: 'list_grants' },
      { type: 'set_interaction_mode', enabled: this.#random.below(2) === 0 },
      { type: 'create_session', title: 'Another' },
    ];
    return this.#random.pick(this.#isSparing ? frames : [...frames, { type: 'delete_session', sessionId }]);
  }
}

test(`[SEC4] random traffic of three principals: no frame reaches an outsider, and hidden sessions look like missing ones (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const random = new Random(seed);
  const owner = await server.enter();
  const newPlace = async (): Promise<Place> => {
    const place: Place = { id: await owner.createSession(), prompt: undefined };
    await owner.follow(place.id);
    return place;
  };
  const [a, b, c] = [await newPlace(), await newPlace(), await newPlace()];
  owner.onFrame(() => {
    const frame = owner.frames.at(-1);
    if (frame?.type !== 'chat_event' || frame.event.type !== 'interaction_request') return;
    const place = [a, b, c].find(({ id }) => id === frame.sessionId);
    if (place) place.prompt = frame.event.payload as InteractionRequest;
  });

  const join = (part: Pick<AccessToken, 'role'> & Partial<AccessToken>) => {
    const token = server.makeToken(part);
    const enter = async () => server.local.open({ hello: { token: (await token).token } });
    return new Meddler(enter, [a, b, c], new Random(random.below(2 ** 32)), part.sessions === undefined);
  };
  const viewer = join({ role: 'viewer', sessions: [a.id] });
  const responder = join({ role: 'responder', sessions: [b.id] });
  const operator = join({ role: 'operator' });

  /** Checks that a session that is hidden from somebody looks to them like one that does not exist. */
  const judgeFor = (own: Place) => async (place: Place, tab: Tab, frame: Sendable, reply: Reply) => {
    if (place === own || !('sessionId' in frame)) return;
    const elsewhere = await tab.request({ ...frame, sessionId: randomUUID() } as Sendable);
    expect({ ...reply, requestId: '' }).toEqual({ ...elsewhere, requestId: '' });
    expect(reply).toMatchObject({ ok: false, error: { code: 'not_found' } });
  };
  await Promise.all([viewer.wander(judgeFor(a)), responder.wander(judgeFor(b)), operator.wander(async () => {})]);

  const textOf = ({ tabs }: Meddler) => tabs.flatMap((tab) => tab.frames.map((frame) => JSON.stringify(frame)));
  for (const [meddler, own, hidden] of [
    [viewer, a, [b, c]],
    [responder, b, [a, c]],
  ] as const) {
    const texts = textOf(meddler);
    expect(texts.filter((text) => hidden.some(({ id }) => text.includes(id)))).toEqual([]);
    expect(texts.filter((text) => text.includes(own.id)).length).toBeGreaterThan(visits);
  }
  const seen = textOf(operator);
  for (const { id } of [a, b, c]) expect(seen.filter((text) => text.includes(id)).length).toBeGreaterThan(visits);
});
