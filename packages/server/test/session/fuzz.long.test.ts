import { setImmediate, setTimeout } from 'node:timers/promises';
import { type ChatEvent, emptyHead, type Head, reduceHead } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { foldOf } from '../support/fold.ts';
import { Random } from '../support/random.ts';
import type { Tab } from '../support/tab.ts';
import { useServer } from '../support/use-server.ts';

const clients = 8;
const durationMs = 6000;

const server = useServer();

const messages = [
  '/call ask_user {"question":"Well?"}',
  '/call ask_user {"question":"One?"}\n/call ask_user {"question":"Two?"}',
  '/call plan_trip {}',
  '/call no_such_tool {}',
  '/stream 20 1',
  'hello',
];

/** A client that acts at random, and keeps its log through every reconnect. */
class Wanderer {
  readonly #random: Random;
  readonly #session: string;
  #tab: Tab;
  #seen: ChatEvent[] = [];
  #epoch = '';
  #messages = 0;

  private constructor(tab: Tab, session: string, random: Random) {
    this.#tab = tab;
    this.#session = session;
    this.#random = random;
  }

  static async join(session: string, seed: number): Promise<Wanderer> {
    const wanderer = new Wanderer(await server.open(), session, new Random(seed));
    wanderer.#epoch = (await wanderer.#tab.follow(session)).epoch;
    return wanderer;
  }

  get log(): ChatEvent[] {
    return [...this.#seen, ...this.#tab.events(this.#session)];
  }

  async wander(until: number): Promise<void> {
    while (performance.now() < until) {
      await this.#step();
      await (this.#random.below(3) > 0 ? setImmediate() : setTimeout(this.#random.below(20)));
    }
  }

  async #step(): Promise<void> {
    const sessionId = this.#session;
    const { prompts, queue } = this.#head;
    const random = this.#random;
    switch (random.below(12)) {
      case 0:
      case 1:
        this.#messages += 1;
        return this.#try({
          type: 'user_message',
          sessionId,
          messageId: `${this.#tab.clientId} ${this.#messages - random.below(2)}`,
          text: random.pick(messages),
        });
      case 2:
        return this.#try({ type: 'cancel_turn', sessionId });
      case 3:
        return this.#try({ type: 'set_interaction_mode', enabled: random.below(4) > 0 });
      case 4:
        return this.#reconnect();
      case 5:
        return this.#try({ type: 'update_session', sessionId, title: `title ${random.below(100)}` });
      case 6: {
        const messageId = random.pick(queue)?.messageId ?? 'none';
        if (random.below(2)) return this.#try({ type: 'remove_queued', sessionId, messageId });
        return this.#try({ type: 'edit_queued', sessionId, messageId, text: 'edited' });
      }
      default:
        return this.#answer(random.pick(prompts)?.request);
    }
  }

  get #head(): Head {
    return this.log.reduce(reduceHead, emptyHead);
  }

  async #answer(request: Head['prompts'][0]['request'] | undefined): Promise<void> {
    if (!request) return;
    const { toolCallId: callId, interactionId } = request;
    const action = this.#random.pick(['submit', 'submit', 'cancel', 'approve']);
    const input = this.#random.pick([{ answer: 'a' }, { answer: 5 }, {}]);
    const part = { type: 'tool_interaction_response', sessionId: this.#session, callId, interactionId, action };
    await this.#try({ ...part, ...(action === 'submit' && { input }) });
  }

  async #reconnect(): Promise<void> {
    const { clientId } = this.#tab;
    if (this.#random.below(2)) this.#tab.terminate();
    else await this.#tab.close();
    await this.#tab.closed();
    this.#seen = this.log;
    this.#tab = await server.open({ clientId });
    await this.#tab.follow(this.#session, { cursor: { epoch: this.#epoch, seq: this.#seen.at(-1)?.seq ?? 0 } });
  }

  /** Refusals are expected; internal errors are not. */
  async #try(frame: object): Promise<void> {
    const reply = await this.#tab.request(frame as never);
    if (!reply.ok) expect(['internal', 'bad_frame', 'storage_failed']).not.toContain(reply.error.code);
  }

  async reach(seq: number): Promise<void> {
    await this.#tab.until(() => (this.log.at(-1)?.seq ?? 0) >= seq);
  }
}

test('[EVT1, EVT3, RPL1] whatever clients do, their logs and a fresh replay fold to the same state', async () => {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
  try {
    await wanderTogether(seed);
  } catch (error) {
    throw new Error(`FUZZ_SEED=${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
});

async function wanderTogether(seed: number): Promise<void> {
  const guest = await server.open();
  const session = await guest.createSession();
  const wanderers = await Promise.all(Array.from({ length: clients }, (_, n) => Wanderer.join(session, seed + n)));
  const until = performance.now() + durationMs;
  await Promise.all(wanderers.map((wanderer) => wanderer.wander(until)));

  await guest.follow(session);
  for (let turns = 0; foldOf(guest.eventsSinceSnapshot(session)).head.turn; turns += 1) {
    await guest.request({ type: 'cancel_turn', sessionId: session });
    expect(turns).toBeLessThan(10);
  }
  const replay = await server.open();
  const { seq, head } = await replay.follow(session);
  const whole = replay.events(session);
  expect(whole.map((event) => event.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  expect(head).toEqual(JSON.parse(JSON.stringify(foldOf(whole).head)));
  for (const wanderer of wanderers) {
    await wanderer.reach(seq);
    expect(wanderer.log).toEqual(whole);
    expect(foldOf(wanderer.log)).toEqual(foldOf(whole));
  }
  expectLawful(whole);
}

/** Checks what must hold for every log (EVT1, INT3, INT7): one settlement per prompt, one result per call, one end per turn. */
function expectLawful(log: readonly ChatEvent[]): void {
  const count = (type: RegExp) => log.filter((event) => type.test(event.type)).length;
  const settled = log.flatMap((event) =>
    event.type === 'interaction_response' || event.type === 'interaction_closed' ? [event.payload.interactionId] : [],
  );
  expect(new Set(settled).size).toBe(settled.length);
  expect(count(/^interaction_request$/)).toBe(settled.length);
  expect(count(/^tool_call$/)).toBe(count(/^tool_result$/));
  expect(count(/^turn_start$/)).toBe(count(/^turn_end$/));
  expect(count(/^interaction_response$/)).toBeGreaterThan(0);
}
