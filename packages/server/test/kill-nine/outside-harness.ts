import { randomUUID } from 'node:crypto';
import { Bundle, type Mutation } from '../support/bundle.ts';
import { CallerProcess } from './caller-process.ts';
import type { StoredSession } from './checked-log.ts';
import { usualPatienceMs } from './harness.ts';
import { InboxClient } from './inbox-client.ts';
import type { Kill } from './kill.ts';
import { type CallReply, callUntilDone } from './outside-call.ts';
import { Victims } from './victims.ts';

/** Processes that die at the kill's point. */
export const casualties = ['server', 'caller', 'both'] as const;
export type Casualty = (typeof casualties)[number];

/** State after two concurrent calls of programs: everybody allows one, and nobody the other. */
export interface Aftermath {
  readonly session: StoredSession;
  readonly permitted: CallReply | undefined;
  readonly refused: CallReply;
  /** Replies to a repeat of the permitted call, and to another call under its key. */
  readonly repeated: CallReply;
  readonly changed: CallReply;
}

/** Has programs call tools from outside, kills one of them or the server or both, and repeats the calls under their keys. */
export class OutsideHarness {
  readonly #victims: Victims;
  #program: Bundle | undefined;

  /** @param mutation - a fault in the victims that the checker must find */
  constructor(mutation?: Mutation) {
    this.#victims = new Victims({ mutation });
  }

  async start(): Promise<void> {
    await this.#victims.start();
    this.#program = await Bundle.make(new URL('caller.ts', import.meta.url));
  }

  async remove(): Promise<void> {
    await this.#victims.remove();
    await this.#program?.remove();
  }

  /**
   * Runs the calls with a kill. @throws Error if a promise is broken, the session does not come to rest, or the kill's point is
   * not reached
   */
  async run(kill: Kill, casualty: Casualty): Promise<Aftermath> {
    const { portFile } = this.#victims;
    const victim = await this.#victims.open();
    const channel = randomUUID();
    const make = (toolName: string) => ({ channel, callId: randomUUID(), toolName, args: {} });
    const { sessionId } = await callUntilDone(portFile, make('greet'));
    const [permit, refuse] = [make('permit'), make('refuse')];
    const doomed = new CallerProcess(this.#program?.file ?? '', portFile, permit);
    const person = new InboxClient('somebody', () => this.#victims.port, sessionId);
    try {
      const pids = { server: [victim.pid], caller: [doomed.pid], both: [doomed.pid, victim.pid] }[casualty];
      await victim.arm({ ...kill, pids });
      doomed.begin();
      await person.join();
      const refused = callUntilDone(portFile, refuse);
      const dead = casualty === 'caller' ? doomed.told : victim.ended;
      if (await Promise.race([doomed.told, dead.then(() => undefined)])) throw new Error('The point was not reached.');
      await dead;
      await this.#victims.open();
      const permitted = casualty === 'server' ? doomed.told : callUntilDone(portFile, permit);
      const told = { permitted: await permitted, refused: await refused };
      const hasEnded = await this.#victims.awaitRest(sessionId, [person], Date.now() + usualPatienceMs);
      const repeated = await callUntilDone(portFile, permit);
      const changed = await callUntilDone(portFile, { ...permit, args: { other: true } });
      await person.leave();
      return { session: await this.#victims.judge(sessionId, [person], hasEnded), ...told, repeated, changed };
    } finally {
      doomed.kill();
      await person.leave();
    }
  }
}
