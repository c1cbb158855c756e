import { setTimeout as sleep } from 'node:timers/promises';
import {
  argsOf,
  type CallResult,
  type CommentHook,
  endedAsking,
  type InnerCall,
  type Json,
  type OpenCall,
  ToolError,
  type Turn,
  toToolError,
  type UnawaitedCall,
  UnawaitedCalls,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import { describeFault, logFault } from '../log/fault-log.ts';
import { Secrets } from '../log/secrets.ts';
import type { Change } from '../session/change.ts';
import { unsealAnswer } from '../session/sealed-secrets.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { countLimit, noteLimit } from '../tools/limit-error.ts';
import { findAsking } from '../tools/policy.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { toResult } from '../tools/tool-result.ts';
import { noteOf } from './answer-note.ts';
import { Asker } from './asker.ts';
import { CallClock } from './call-clock.ts';
import { CallReviews } from './call-reviews.ts';
import { CallScope } from './call-scope.ts';
import type { CallServices } from './call-services.ts';
import { CallWriter } from './call-writer.ts';
import { passGate } from './gate.ts';
import { mayHibernate } from './hibernation.ts';
import { Journal } from './journal.ts';
import type { LateAnswers } from './late-answers.ts';
import { CallGrants } from './plugin-approvals.ts';
import type { CallParts } from './question.ts';
import { type CallEnd, ReEntry } from './re-entry.ts';
import { type ReadOpenCall, readOpenCall } from './read-call.ts';
import { redactReturned } from './redact-command.ts';
import { mayRunAgain } from './rerun.ts';
import { SideHooks } from './side-hooks.ts';
import { endsOf, type Wake } from './sleeping-call.ts';
import { Steps } from './steps.ts';
import { whyNoFiles } from './taken-files.ts';
import { makeContext } from './tool-context.ts';
import { Waiters } from './waiters.ts';

/** The turn that a call belongs to. */
export interface CallParent {
  readonly turn: Turn;
  readonly late: LateAnswers;
  /** The sub-agent that makes the call. */
  readonly from?: string;
  /** Lets the agent that made the call reply to a comment on its prompts; undefined if it cannot (REV4). */
  readonly reply?: CommentHook | undefined;
  /** Runs a call inside this one. @param hasSecret - whether a value contains a secret of this call */
  callInside(parent: OpenCall, call: InnerCall, hasSecret: (value: unknown) => boolean): Promise<CallResult>;
}

/** Runs one tool call until it has a result. It waits for the log; the log never waits for it. */
export class CallRunner {
  readonly call: OpenCall;
  readonly #services: CallServices;
  readonly #session: SessionWriter;
  readonly #origin: CallParent;
  readonly #registered: RegisteredTool | undefined;
  /** Time allowed to the tool, and to each of its hooks and rules, in ms. */
  readonly #limitMs: number;
  readonly #abort = new AbortController();
  /** Aborts when nothing that the handler does counts any more, also if that is because the call sleeps. */
  readonly #over = new AbortController();
  readonly #scope = new CallScope();
  readonly #writer: CallWriter;
  readonly #clock: CallClock;
  readonly #waiters: Waiters;
  #desk: { readonly grants: CallGrants; readonly reviews: CallReviews } | undefined;
  #read: Promise<ReadOpenCall> | undefined;
  /** Arguments as currently known: from the event, then as read by the tool, then as edited by a person. */
  #shown: Json;
  #isAsleep = false;
  #entry: ReEntry | undefined;
  readonly #unawaited = new UnawaitedCalls((call) => this.#reportUnawaited(call));
  #isHibernating = false;

  constructor(services: CallServices, session: SessionWriter, call: OpenCall, origin: CallParent) {
    const { toolbox, asking, host } = services;
    this.call = call;
    this.#shown = argsOf(call);
    this.#services = services;
    this.#session = session;
    this.#origin = origin;
    this.#registered = toolbox.registry.get(call.toolName, origin.turn.agent);
    this.#writer = new CallWriter(session, call, new Secrets(host.secrets));
    this.#limitMs = this.#registered?.tool.timeoutMs ?? asking.durations.toolTimeoutMs;
    this.#clock = new CallClock(this.#limitMs, this.#scope, host.node.clock);
    this.#waiters = new Waiters(call.toolCallId, origin.late, new SideHooks(this.#writer, this.#clock, host.log));
  }

  /** Resolves with the call's result, or with undefined if none is needed any more. */
  run(): Promise<CallResult | undefined> {
    return this.#finish(() => this.#execute(Journal.empty));
  }

  /**
   * Continues a call of an earlier process: silently if it only waited, otherwise as its tool decides (DUR2, DUR4).
   * @param onRest - called when the call waits again or has ended
   */
  async resume({ journal, missed, isActedOn = false }: Wake, onRest: () => void): Promise<CallResult | undefined> {
    this.#isAsleep = true;
    for (const name of journal.unheard) this.#writer.noteMissed(name);
    this.#waiters.recall(journal);
    for (const change of missed) {
      this.#waiters.onChange(change);
      this.#sleepThrough(change);
    }
    try {
      return await this.#finish(() => this.#reenter(journal, isActedOn, onRest));
    } finally {
      this.#entry?.arrive();
      onRest();
    }
  }

  /**
   * Handles a call that was ended while it slept: its handler runs once more up to the closed prompts, only to call their cancel
   * hooks (INT11). Anything else it does is rejected, as in every ended call.
   */
  async runCancelHooks({ journal, missed }: Wake): Promise<void> {
    const { reEntries } = this.#services;
    for (const change of missed) this.#waiters.onChange(change);
    const leave = await reEntries.pass(false);
    try {
      await Promise.race([this.#execute(journal), sleep(reEntries.steadyMs, undefined, { ref: false })]);
    } finally {
      leave();
      this.#clock.stop();
      this.abort();
    }
  }

  /** Stops the call here because another process runs it now; its handler gets no further events. */
  leave(): void {
    this.#waiters.leave();
    this.abort();
  }

  abort(): void {
    const reason = new ToolError('cancelled', 'The call is over.');
    if (!this.#isHibernating) this.#abort.abort(reason);
    this.#over.abort(reason);
  }

  /** Whether the call only waits, and may leave memory (DUR10). */
  get mayHibernate(): boolean {
    if (this.#isAsleep || !this.#isAtRest || !this.#writer.isSettled) return false;
    if (this.#unawaited.pending > this.#clock.waits) return false; // something else than a wait is under way
    const usedGrant = this.#desk?.grants.used !== undefined;
    const { prompts } = this.#session.head;
    return mayHibernate({ tool: this.#registered?.tool, call: this.call, prompts, usedGrant });
  }

  /** Leaves memory without notice: the handler waits for ever and can do nothing more. */
  hibernate(): void {
    this.#isHibernating = true;
    this.#waiters.leave();
    this.#writer.leave();
    this.abort();
  }

  /** Whether some of its code is running, which a stop would interrupt; a call that waits for people survives a restart. */
  get isBusy(): boolean {
    return !this.#isAsleep && (!this.#clock.isWaiting || this.#scope.isActive);
  }

  /** Whether the call was found open at the start and none of its code has run yet. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  async #finish(execute: () => Promise<CallEnd>): Promise<CallResult | undefined> {
    const stopObserving = this.#session.observe({
      onChange: (change) => {
        this.#sleepThrough(change);
        this.#waiters.onChange(change);
      },
    });
    const { signal } = this.#over;
    try {
      const raw = await Promise.race([execute(), this.#whenAborted()]);
      if (!raw) return undefined;
      const whole = { ...raw.returned, ...this.#annotate(raw.returned) };
      const returned = this.#writer.redact(whole);
      const extra = returned.isRedacted && this.call.by ? { unredacted: this.#forCaller(whole) } : {};
      await this.#session.persist(
        { type: 'return', toolCallId: this.call.toolCallId, ...raw, returned },
        { signal, ...extra },
      );
      return returned;
    } finally {
      stopObserving();
      this.#clock.stop();
      this.abort();
    }
  }

  /** The result for the program that called: it may contain what people typed, but no secrets of the server (ASK5, SEC8). */
  #forCaller(returned: CallResult): CallResult {
    return redactReturned(new Secrets(this.#services.host.secrets), returned);
  }

  /** What accompanies the result: notes for the model, the files that people attached, and the grant used. */
  #annotate(returned: CallResult): Pick<CallResult, 'note' | 'files' | 'grantId' | 'rule' | 'authorised'> {
    const authorised = this.#desk?.reviews.passed;
    const { answers, files } = this.#waiters;
    const note = noteOf(answers, files, returned);
    const given = files.length > 0 && { files };
    return {
      ...(note !== undefined && { note }),
      ...given,
      ...this.#desk?.grants.used,
      ...(authorised && { authorised }),
    };
  }

  async #execute(journal: Journal): Promise<CallEnd> {
    try {
      if (!this.#registered) throw this.#services.toolbox.registry.unknown(this.call.toolName);
      return { returned: { result: await this.#handle(this.#registered, journal) } };
    } catch (error) {
      const coded = toToolError(error);
      const { toolCallId, toolName: tool } = this.call;
      const { log, errorDetail } = this.#services.host;
      logFault(log, error, { toolCallId, tool, code: coded.code }, errorDetail);
      return { returned: { error: coded } };
    }
  }

  async #reenter(journal: Journal, isActedOn: boolean, onRest: () => void): Promise<CallEnd> {
    const { reEntries, host } = this.#services;
    const asker = this.#askerWith(this.#partsWith(journal));
    const entry = new ReEntry({
      ...{ writer: this.#writer, journal, isActedOn, reEntries, log: host.log, signal: this.#over.signal },
      mayRunAgain: (registered) => {
        const readArgs = () => this.#readArgs(registered, journal);
        return mayRunAgain({ asker, call: this.call, journal, limitMs: this.#limitMs, readArgs }, registered);
      },
    });
    this.#entry = entry;
    const look = () => {
      if (!this.#isAtRest) return;
      entry.arrive();
      onRest();
    };
    this.#clock.onPause = () => setImmediate(look); // code waiting for earlier outcomes continues first
    const end = await entry.begin(this.#registered);
    if (end) return end;
    this.#isAsleep = false;
    return this.#execute(journal);
  }

  /** Reads the arguments once per run. Invalid ones are rejected before anybody is asked. @throws ToolError `invalid_args` */
  #readArgs(registered: RegisteredTool, journal: Journal): Promise<ReadOpenCall> {
    this.#read ??= readOpenCall(registered, this.call, { journal, writer: this.#writer }).catch((error: unknown) => {
      throw noteLimit(this.#services.asking.reached, error);
    });
    return this.#read;
  }

  /** Whether the call waits for people again and has acted on everything that ended its earlier waits. */
  get #isAtRest(): boolean {
    return this.#clock.isWaiting && !this.#scope.isActive && (this.#isAsleep || !this.#writer.hasUnacknowledged);
  }

  /**
   * Records a change as not yet acted on if the call sleeps, or if it is foreign: whoever stored it may have taken over the turn.
   */
  #sleepThrough(change: Change): void {
    if (!this.#isAsleep && !change.isForeign) return;
    for (const name of endsOf(change, this.call.toolCallId)) this.#writer.noteMissed(name);
  }

  async #handle(registered: RegisteredTool, earlier: Journal): Promise<Json> {
    const { asking, grants: book, host, toolbox } = this.#services;
    const { reached } = asking;
    const { journal, ...read } = await this.#readArgs(registered, earlier);
    this.#shown = read.args.json;
    const parts = this.#partsWith(journal);
    const asker = this.#askerWith(parts);
    const grants = new CallGrants(registered.plugin.name, {
      parts,
      grants: book,
      index: host.store.index,
      freshLoginMs: asking.durations.freshLoginMs,
      asking: registered.tool.asking ? { caller: this.call.by?.principal } : undefined,
      now: host.node.now,
    });
    const reviews = new CallReviews({ services: this.#services, parts, registered, signal: this.#over.signal });
    this.#desk = { grants, reviews };
    const gate = { asker, parts, grants, reviews, book, toolbox, limitMs: this.#limitMs };
    const { args: callArgs, consent } = await passGate(gate, registered, read);
    this.#shown = callArgs.json;
    const args = callArgs.value();
    const elapsed = this.#clock.start();
    const steps = new Steps({ journal, writer: this.#writer, scope: this.#scope, node: host.node, reached });
    const context = makeContext({ parts, asker, grants, reviews, steps }, this.#services, registered, {
      callArgs,
      consent,
      limitMs: this.#limitMs,
      signal: this.#abort.signal,
      over: this.#over.signal,
      graceMs: this.#isResumed ? asking.durations.restartGraceMs : 0,
      unawaited: this.#unawaited,
      callInside: (call) => this.#origin.callInside(this.call, call, (value) => this.#writer.hasSecret(value)),
    });
    try {
      const result = await Promise.race([(async () => registered.tool.handler(args, context))(), elapsed]);
      return countLimit(reached, () => toResult(result));
    } finally {
      host.ran(registered.tool.name, this.#clock.ownMs);
      this.#reportEnd(host.log);
    }
  }

  /** Reports promises that the handler did not await and prompts that it left open when it returned (PLG8). */
  #reportEnd(log: Logger): void {
    if (this.#over.signal.aborted) {
      this.#unawaited.stop(); // stopped before it was done
      return;
    }
    this.#unawaited.end();
    const { toolCallId, toolName: tool } = this.call;
    const open = this.#session.head.prompts.filter(
      ({ request, state }) => request.toolCallId === toolCallId && state === 'open',
    );
    if (open.length === 0) return;
    const interactionIds = open.map(({ request }) => request.interactionId);
    log.warn({ toolCallId, tool, interactionIds }, endedAsking);
  }

  #reportUnawaited({ words, request, failure }: UnawaitedCall): void {
    const { log, errorDetail } = this.#services.host;
    const { toolCallId, toolName: tool } = this.call;
    log.warn({ toolCallId, tool, request, ...(failure && describeFault(failure.error, errorDetail)) }, words);
  }

  #partsWith(journal: Journal): CallParts {
    const { id } = this.#session;
    return {
      journal,
      writer: this.#writer,
      clock: this.#clock,
      waiters: this.#waiters,
      reply: this.#origin.reply,
      unseal: (request, answer) => unsealAnswer(this.#services.host, id, request, answer),
    };
  }

  #askerWith(parts: CallParts): Asker {
    const origin = { from: this.#origin.from, isWithinGrace: () => this.#isWithinGrace };
    const { covers, suggestRules, plugin, views = {} } = this.#registered ?? {};
    const [mayOfferRules, maySuggest] = [covers !== undefined, suggestRules !== undefined];
    const own = { name: plugin?.name ?? '', views };
    const { asking: rules, toolbox, host } = this.#services;
    const bounds = findAsking(toolbox.policies, this.call.toolName);
    const { source: program, asking: isAsking = false } = this.#registered?.tool ?? {};
    return new Asker({
      args: () => this.#shown,
      ...{ parts, rules, bounds, mayOfferRules, maySuggest, plugin: own, program, origin },
      whyNoFiles: whyNoFiles(host.files.isThere, isAsking),
      signal: this.#over.signal,
    });
  }

  /** Whether the turn was begun by another process. */
  get #isResumed(): boolean {
    return this.#origin.turn.owner !== this.#services.host.node.id;
  }

  /** Whether the grace period after a start still lasts, in which people of resumed turns count as present (INT14). */
  get #isWithinGrace(): boolean {
    const { asking, host } = this.#services;
    return this.#isResumed && host.node.clock.elapsed() < host.node.startedAt + asking.durations.restartGraceMs;
  }

  #whenAborted(): Promise<undefined> {
    const { signal } = this.#over;
    return new Promise((resolve) => {
      if (signal.aborted) resolve(undefined);
      else signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }
}
