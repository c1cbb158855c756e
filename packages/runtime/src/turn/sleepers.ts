import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatEvent,
  findCall,
  type Head,
  type Instant,
  type OpenCall,
  type OpenPrompt,
  type Seq,
  type ToolCallId,
  type Turn,
} from '@parleyhq/core';
import type { CallServices } from '../call/call-services.ts';
import { Journal } from '../call/journal.ts';
import { isWithin } from '../call/narrow.ts';
import { SleepingCall, type Wake } from '../call/sleeping-call.ts';
import { runAt } from '../node/run-at.ts';
import type { Change } from '../session/change.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { findAsking, judgeCall } from '../tools/policy.ts';

/** How long whoever stored an answer has to wake its call before this process does, in ms. */
const graceMs = 15_000;

/** Delay after a failed read, in ms. */
const retryMs = 1000;

/** Schedules the examination of a call whose earliest deadline is `due`. */
export type Later = (due: Instant, look: () => Promise<void>) => void;

export interface SleepersOptions {
  readonly services: CallServices;
  readonly session: SessionWriter;
  /** Makes this process the owner of the turn. @returns false if the turn is over or another process was first */
  takeUp(): Promise<boolean>;
  /** Runs the cancel hooks of a call that was ended (INT11). */
  runCancelHooks(turn: Turn, call: OpenCall, wake: Wake): Promise<void>;
}

/**
 * The calls of a session that an earlier process left open, or that left memory in a quiet session; only this class decides what
 * wakes each (DUR10). A call whose tool
 * hibernates, and any call in a careful start, sleeps until one of its waits ends; the others are entered in the background.
 */
export class Sleepers {
  readonly #options: SleepersOptions;
  readonly #calls = new Map<ToolCallId, SleepingCall>();
  /** Seq of the session when the calls were found: later calls are new. */
  #foundAt: Seq = 0;

  constructor(options: SleepersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#calls.size;
  }

  get(id: ToolCallId): SleepingCall | undefined {
    return this.#calls.get(id);
  }

  /** Whether a call sleeps, and nothing has happened that its code must act on. */
  isUndisturbed(id: ToolCallId): boolean {
    return this.#calls.get(id)?.isUndisturbed === true;
  }

  /** Whether these are calls that sleep, and nothing of them is needed in memory. */
  areAtRest(calls: readonly OpenCall[]): boolean {
    return calls.length > 0 && calls.every(({ toolCallId }) => this.#calls.get(toolCallId)?.isAtRest);
  }

  /** Whether each of these calls only waits, as far as it is stored (DUR2). */
  async onlyWait(calls: readonly OpenCall[]): Promise<boolean> {
    const { services, session } = this.#options;
    const journals = await Promise.all(calls.map((call) => Journal.read(services.host.store, session.row, call)));
    return journals.every(({ isWaiting, unheard }) => isWaiting && unheard.length === 0);
  }

  /** Registers the open calls, before this process changes anything. @param later - when to examine each; default: in the background */
  find(head: Head, later?: Later): void {
    this.#foundAt = this.#options.session.row.seq;
    for (const call of head.calls) this.#lay(call, head, later);
  }

  /** Returns the sleeping call; undefined for one that was made while its turn slept. */
  meet(call: OpenCall, head: Head): SleepingCall | undefined {
    return this.#calls.get(call.toolCallId) ?? (call.seq > this.#foundAt ? undefined : this.#lay(call, head));
  }

  #lay(
    call: OpenCall,
    { prompts }: Head,
    later: Later = (due, look) => this.#options.services.reEntries.later(due, look),
  ) {
    const sleeping = new SleepingCall(call, this.#options.session.row.seq);
    this.#calls.set(call.toolCallId, sleeping);
    later(dueOf(prompts, call), () => this.#look(sleeping));
    return sleeping;
  }

  /** Wakes sleeping calls whose waits end, and drops those that end. */
  onChange(change: Change): void {
    for (const sleeping of this.#calls.values()) {
      const isNeeded = sleeping.note(change);
      if (!findCall(change.after, sleeping.id)) this.#endWith(sleeping, change);
      else if (isNeeded && change.isForeign && !this.#isOwn) sleeping.timer = this.#after(graceMs, sleeping);
      else if (isNeeded) void this.#rouse(sleeping);
    }
  }

  /** Hands a call over to its runner, with the changes it has missed. */
  release(sleeping: SleepingCall): readonly Change[] {
    this.#calls.delete(sleeping.id);
    sleeping.end();
    return sleeping.heard;
  }

  /** Drops all calls: the turn is over or runs in another process. */
  clear(): void {
    for (const sleeping of this.#calls.values()) this.#drop(sleeping);
  }

  #drop(sleeping: SleepingCall): void {
    this.#calls.delete(sleeping.id);
    sleeping.end();
    sleeping.rest();
  }

  #endWith(sleeping: SleepingCall, change: Change): void {
    const { journal, heard } = sleeping;
    this.#drop(sleeping);
    const { turn } = change.before;
    const isCancelled = change.prompts.settled.some((prompt) => hasCancelHook(prompt, sleeping.id));
    if (!isCancelled || !journal || !turn || change.isForeign) return;
    this.#options.runCancelHooks(turn, sleeping.call, { journal, missed: heard }).catch((error: unknown) => {
      this.#options.services.host.log.warn({ toolCallId: sleeping.id, error }, 'onCancel failed');
    });
  }

  /** Reads what a call did and decides whether its code is needed. Resolves once it sleeps on or waits again. */
  async #look(sleeping: SleepingCall): Promise<void> {
    if (!this.#isAsleep(sleeping)) return;
    const journal = await this.#read(sleeping);
    if (!journal || !this.#isAsleep(sleeping)) return;
    const mayHibernate = this.#mayHibernate(sleeping) || this.#options.services.reEntries.isCarefulStart;
    const waits = journal.isAskedAbout || journal.isWaiting;
    const isHeard = journal.unheard.length === 0 && !journal.owesReply;
    if (!this.#mustEnd(sleeping) && isHeard && waits && (mayHibernate || journal.isAskedAbout)) {
      this.#sleepOn(sleeping, journal);
      return;
    }
    void this.#rouse(sleeping);
    await Promise.race([sleeping.rested, sleep(this.#options.services.reEntries.steadyMs, undefined, { ref: false })]);
  }

  #sleepOn(sleeping: SleepingCall, journal: Journal): void {
    const { session, services } = this.#options;
    const { callbackDue } = journal;
    if (session.head.prompts.some((prompt) => hasCancelHook(prompt, sleeping.id))) sleeping.journal = journal;
    else if (callbackDue === undefined) sleeping.needsNothing = true;
    if (callbackDue === undefined) return;
    const { node } = services.host;
    const graceMs = this.#isOwn ? 0 : services.asking.durations.restartGraceMs;
    const at = Math.max(callbackDue, node.now() + graceMs);
    sleeping.timer = runAt(at, node, () => void this.#rouse(sleeping));
  }

  async #rouse(sleeping: SleepingCall): Promise<void> {
    if (!this.#isAsleep(sleeping)) return;
    sleeping.isRoused = true;
    const { services, session, takeUp } = this.#options;
    const isOwn = this.#isOwn;
    await services.reEntries.opened;
    try {
      if (!(await takeUp())) return;
      const { ended } = sleeping;
      const journal = await this.#read(sleeping); // from now on nobody else acts on it
      if (journal) sleeping.wake({ journal, isActedOn: !isOwn && ended.some((name) => !journal.isUnheard(name)) });
    } catch (error) {
      services.host.log.error(
        { sessionId: session.id, toolCallId: sleeping.id, error },
        'a call could not be woken: the next start tries again',
      );
      sleeping.rest();
    }
  }

  /** Reads the journal, retrying while the store fails. @returns undefined if the call ended meanwhile */
  async #read({ call, seq, id }: SleepingCall): Promise<Journal | undefined> {
    const { services, session } = this.#options;
    while (this.#calls.has(id)) {
      try {
        return await Journal.read(services.host.store, { id: session.id, seq }, call);
      } catch (error) {
        services.host.log.warn(
          { sessionId: session.id, toolCallId: id, error },
          'a call could not be read: trying again',
        );
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    return undefined;
  }

  #after(ms: number, sleeping: SleepingCall): () => void {
    const timer = setTimeout(() => void this.#rouse(sleeping), ms).unref();
    return () => clearTimeout(timer);
  }

  #isAsleep(sleeping: SleepingCall): boolean {
    return this.#calls.get(sleeping.id) === sleeping && !sleeping.isRoused;
  }

  /** Whether this process runs the turn: nobody else acts for its calls, and they are allowed what they were allowed before. */
  get #isOwn(): boolean {
    const { services, session } = this.#options;
    return session.head.turn?.owner === services.host.node.id;
  }

  /**
   * Whether its tool hibernates and the configuration still allows what it asks; otherwise it is asked again or denied at once
   * (TEAM1, APR3).
   */
  #mayHibernate(sleeping: SleepingCall): boolean {
    const { services, session } = this.#options;
    const { policies } = services.toolbox;
    const tool = this.#toolOf(sleeping);
    if (tool?.hibernates && this.#isOwn) return true;
    if (!tool?.hibernates || judgeCall(tool, policies, session.row.permissionMode).kind === 'deny') return false;
    const bounds = findAsking(policies, tool.name);
    const own = session.head.prompts.filter(
      ({ request, state }) => request.toolCallId === sleeping.id && state === 'open',
    );
    return own.every(({ request }) => isWithin(request, bounds));
  }

  /** Whether the call must end without running its code (DUR6). */
  #mustEnd(sleeping: SleepingCall): boolean {
    const tool = this.#toolOf(sleeping);
    return !tool || tool.durable === false || sleeping.call.parentToolCallId !== undefined;
  }

  #toolOf({ call }: SleepingCall) {
    const { services, session } = this.#options;
    return services.toolbox.registry.get(call.toolName, session.head.turn?.agent)?.tool;
  }
}

/** Whether a prompt of the call is closed together with it and has a cancel hook. */
function hasCancelHook({ request, state }: OpenPrompt, id: ToolCallId): boolean {
  return request.toolCallId === id && request.hasCancelHook === true && state !== 'pending';
}

/** Returns the earliest deadline of the prompts of a call, or of all. */
export function dueOf(prompts: readonly OpenPrompt[], call?: OpenCall): Instant {
  const ends = prompts.flatMap(({ request, expiresAt }) =>
    (!call || request.toolCallId === call.toolCallId) && expiresAt !== undefined ? [Date.parse(expiresAt)] : [],
  );
  return Math.min(Number.MAX_SAFE_INTEGER, ...ends);
}

/** Whether only the process that runs the turn stores this event. */
export function isOfRunner({ type }: ChatEvent): boolean {
  return type === 'interaction_request' || type === 'interaction_pending' || type === 'tool_result';
}
