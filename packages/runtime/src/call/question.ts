import {
  argsOf,
  askedIn,
  type Command,
  type CommentHook,
  checkOutcome,
  type GrantOffer,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionHooks,
  type InteractionRequest,
  type InteractionSpec,
  isOrphaning,
  isSameJson,
  type Json,
  limits,
  nobodyWords,
  type Outcome,
  offeredScopes,
  type PendingOutcome,
  type PendingResult,
  type PromptDraft,
  type Reviewed,
  recoverySlot,
  riskLevel,
  ToolError,
  takesSuggestions,
  toToolError,
  typedValues,
  whyOf,
  withdrawn,
} from '@parleyhq/core';
import { holdsSecrets } from '../session/sealed-secrets.ts';
import { countLimit } from '../tools/limit-error.ts';
import type { Asking } from '../tools/policy.ts';
import { toResult } from '../tools/tool-result.ts';
import type { CallClock } from './call-clock.ts';
import type { AskingRules } from './call-services.ts';
import type { CallWriter } from './call-writer.ts';
import { endClosed, settlementOf } from './closed-prompt.ts';
import type { Journal, PastAttempt, Resolution } from './journal.ts';
import { limitToQuorum } from './narrow.ts';
import { type OwnViews, requireOwnView, toShown } from './own-view.ts';
import {
  digestOf,
  hasSecrets,
  markHooks,
  membersOf,
  requireModestSize,
  requireRequest,
  specOf,
} from './question-spec.ts';
import { chooseReplier } from './replier.ts';
import { requireNoFiles } from './taken-files.ts';
import type { Settlement, Waiters } from './waiters.ts';

interface OpenedPrompt {
  readonly request: InteractionRequest;
  readonly settlement: Promise<Settlement>;
}

/** The parts that work on one call. */
export interface CallParts {
  /** Journal of earlier processes; empty for a new call. */
  readonly journal: Journal;
  readonly writer: CallWriter;
  readonly clock: CallClock;
  readonly waiters: Waiters;
  /** Replies to comments on prompts whose tool does not; undefined if the agent that called the tool cannot (REV4). */
  readonly reply: CommentHook | undefined;
  /** Returns a foreign answer with its secrets; undefined if they can no longer be decrypted (INT17). */
  unseal(request: InteractionRequest, answer: InteractionAnswer): Promise<InteractionAnswer | undefined>;
}

export interface QuestionOptions {
  readonly slot: string;
  readonly source: InteractionRequest['source'];
  readonly offer?: GrantOffer | undefined;
  /** What a reviewer found before (LESS3). */
  readonly reviewed?: Reviewed | undefined;
  /** Arguments the call runs with, as currently known. */
  readonly args: Json;
  /** Context method that asks, as its author knows it; `requestInteraction` by default. */
  readonly door?: string | undefined;
  /** Whether people of resumed turns still count as present after a start (INT14). */
  readonly isWithinGrace: boolean;
  /** @throws ToolError if the configuration leaves nobody to ask */
  narrow<Demand extends Asking>(demand: Demand): Demand;
  /** Returns the mark of a prompt that demands a passkey (SIGN2). */
  markOf(risk: InteractionRequest['risk']): Pick<InteractionRequest, 'stepUp'>;
  /** Whether the configuration allows asking the people who are already asked. */
  isWithin(request: Asking): boolean;
  /** The plugin whose views the request may name. */
  readonly plugin: OwnViews;
  /** Reason why it may not ask for files; undefined if it may (PLG13). */
  readonly whyNoFiles: string | undefined;
  /** Whether rules that are suggested may answer it, unless it is of high risk or the like (LESS2). */
  readonly maySuggest: boolean;
}

/** One `requestInteraction`, from the first prompt of its slot until its promise settles. */
export class Question {
  readonly #hooks: InteractionHooks;
  /** Aborts when the tool no longer needs an answer. */
  readonly #signal: AbortSignal | undefined;
  readonly #parts: CallParts;
  readonly #rules: AskingRules;
  readonly #options: QuestionOptions;
  #spec: InteractionSpec;
  readonly #commentsTo: InteractionRequest['commentsTo'];

  /** @throws ToolError `tool_error` if the demand is invalid */
  constructor(parts: CallParts, rules: AskingRules, demand: InteractionDemand, options: QuestionOptions) {
    const { onResponse, onTimeout, onCancel, onLateResponse, onComment, signal } = demand;
    this.#parts = parts;
    this.#signal = signal;
    this.#rules = rules;
    this.#options = options;
    const handed = { code: 'tool_error', door: options.door } as const;
    this.#spec = limitToQuorum(options.narrow(countLimit(rules.reached, () => requireRequest(demand, handed))));
    requireOwnView(this.#spec, options.plugin, 'tool_error');
    requireNoFiles(this.#spec, options.whyNoFiles, 'tool_error');
    const commenting = chooseReplier(onComment, parts);
    this.#commentsTo = commenting?.commentsTo;
    this.#hooks = {
      ...(onResponse && { onResponse }),
      ...(onTimeout && { onTimeout }),
      ...(onCancel && { onCancel }),
      ...(onLateResponse && { onLateResponse }),
      ...(commenting && { onComment: commenting.onComment }),
    };
  }

  /** Asks, or resumes what was asked before a restart; waits and lets the hooks decide until one completes. */
  async run(): Promise<unknown> {
    const past = this.#findPast();
    if (past?.state === 'pending') return this.#goOn(past);
    if (past?.resolution) return replay(past.resolution);
    let prompt = past ? await this.#takeUp(past) : await this.#ask();
    for (let reprompts = prompt.request.attempt - 1; ; reprompts += 1) {
      let settlement = await this.#parts.clock.waitForPeople(this.#settle(prompt));
      await this.#acknowledge(prompt.request);
      if (settlement.kind === 'closed') return endClosed(settlement.reason, this.#signal);
      if (settlement.kind === 'expired' && !this.#hooks.onTimeout) return this.#timeOut(prompt.request);
      if (settlement.kind === 'answered' && settlement.isForeign && holdsSecrets(prompt.request, settlement.answer)) {
        const answer = await this.#parts.unseal(prompt.request, settlement.answer);
        if (!answer) {
          prompt = await this.#reprompt(prompt.request, settlement, { error: secretsLost });
          continue;
        }
        settlement = { kind: 'answered', answer };
      }
      if (settlement.kind === 'answered') {
        this.#parts.writer.learn(prompt.request, settlement.answer.input);
        if (!this.#hooks.onResponse) return settlement.answer; // the answer itself completes
      }
      try {
        const outcome = await this.#decide(prompt.request, settlement);
        if ('complete' in outcome) return await this.#complete(prompt.request, settlement, outcome.complete);
        if ('pending' in outcome) return await this.#defer(prompt.request, outcome.pending);
        if (reprompts >= limits.reprompts) {
          this.#rules.reached('reprompts');
          throw new ToolError('reprompt_limit', `This was asked again ${limits.reprompts} times without a result.`);
        }
        prompt = await this.#reprompt(prompt.request, settlement, outcome.reprompt);
      } catch (error) {
        return this.#fail(prompt.request, settlement, error);
      }
    }
  }

  /** Records that the call acts on the answer; for a recovery prompt this is done later, when the call's code runs. */
  async #acknowledge({ interactionId }: InteractionRequest): Promise<void> {
    if (this.#options.slot === recoverySlot) return;
    await this.#parts.writer.acknowledge(interactionId);
    this.#parts.clock.look();
  }

  /** Resolves when the prompt is settled, and retracts it if the tool no longer needs an answer. */
  #settle({ request, settlement }: OpenedPrompt): Promise<Settlement> {
    return this.#signal ? this.#settleUntil(this.#signal, request, settlement) : settlement;
  }

  async #settleUntil(
    signal: AbortSignal,
    { interactionId }: InteractionRequest,
    settlement: Promise<Settlement>,
  ): Promise<Settlement> {
    let retract: () => void = () => undefined;
    const failed = new Promise<never>((_, reject) => {
      retract = () => {
        const retraction = { interactionId, note: whyOf(signal), isOrphaned: isOrphaning(signal) };
        this.#parts.writer.perform({ type: 'retract', ...retraction }).catch(reject);
      };
    });
    signal.addEventListener('abort', retract, { once: true });
    if (signal.aborted) retract();
    try {
      return await Promise.race([settlement, failed]);
    } finally {
      signal.removeEventListener('abort', retract);
    }
  }

  /** Returns the slot's last prompt if it asked the same at no lower risk: no answer counts for something else (DUR5, SIGN2). */
  #findPast(): PastAttempt | undefined {
    const history = this.#parts.journal.find(this.#options.slot);
    if (!history || history.isSetAside || history.first.digest !== this.#digest) return undefined;
    const { first, last } = history;
    if (riskLevel(this.#spec.risk) > riskLevel(first.risk)) return undefined; // mutant: raised-risk
    // asked again, of the people allowed now (TEAM1)
    if (last.state === 'open' && !this.#options.isWithin(last.request)) return undefined;
    // each interruption is asked about again (DUR4)
    if (this.#options.slot === recoverySlot && last.state !== 'open' && !last.isUnheard) return undefined;
    return last;
  }

  /** Opens a first prompt. It supersedes one that a different question of an older plugin left open in this slot. */
  #ask(): Promise<OpenedPrompt> {
    if (this.#signal?.aborted) throw withdrawn(this.#signal);
    this.#requireSomebody();
    const last = this.#parts.journal.find(this.#options.slot)?.last;
    const isGate = this.#options.source.kind === 'policy' && !last;
    const supersedes = last?.state === 'open' ? { supersedes: last.request.interactionId } : {};
    const draft = this.#draft();
    const isSetAside = last?.state === 'answered' && this.#options.slot !== recoverySlot;
    const setAside = isSetAside && { setsAside: last.request.interactionId, error: draft.error ?? answerSetAside };
    return this.#open({ type: 'ask', draft: { ...draft, ...setAside }, isGate, ...supersedes });
  }

  async #takeUp(past: PastAttempt): Promise<OpenedPrompt> {
    const { request, state } = past;
    this.#spec = specOf(request, this.#spec);
    if (hasSecrets(past)) return this.#reprompt(request, settlementOf(past), { error: secretsLost });
    if (state !== 'open') return { request, settlement: Promise.resolve(settlementOf(past)) };
    const settlement = this.#parts.waiters.wait(request, this.#hooks, past.unhandled);
    return { request, settlement };
  }

  /** The tool went on before the restart and does so again; its hook is registered for an answer that may still come late. */
  #goOn({ request, message = '' }: PastAttempt): PendingResult {
    this.#parts.waiters.goOn(request.interactionId, this.#hooks);
    return { pending: true, queued: true, message };
  }

  #requireSomebody(): void {
    const { onUnavailable } = this.#spec;
    const { session, call } = this.#parts.writer;
    const asked = askedIn(session.head, this.#spec, call.toolCallId);
    if (onUnavailable === 'wait' || this.#rules.availability(session.id, asked).available) return;
    if (this.#options.isWithinGrace) return;
    throw new ToolError('interaction_unavailable', nobodyWords(asked.risk === 'high'));
  }

  /** Opens a prompt. Its waiter is registered between commit and broadcast, so that an instant answer finds it (INT1). */
  async #open(command: Command): Promise<OpenedPrompt> {
    let opened: OpenedPrompt | undefined;
    await this.#parts.writer.perform(command, {
      onStored: (events) => {
        const request = events.find((event) => event.type === 'interaction_request')?.payload;
        if (request) opened = { request, settlement: this.#parts.waiters.wait(request, this.#hooks) };
      },
    });
    if (!opened) throw new ToolError('call_closed', 'The prompt did not open.');
    return opened;
  }

  /** Returns the hook's resolution. */
  async #decide(
    { interactionId }: InteractionRequest,
    settlement: Exclude<Settlement, { kind: 'closed' }>,
  ): Promise<Outcome> {
    const { onResponse, onTimeout } = this.#hooks;
    const hook = async () => (settlement.kind === 'expired' ? onTimeout?.() : onResponse?.(settlement.answer));
    return checkOutcome(await this.#parts.clock.runHook(`hook:${interactionId}`, hook));
  }

  /** Closes a prompt that expired while its handler was being re-entered after a restart, and that has no `onTimeout`. */
  async #timeOut({ interactionId }: InteractionRequest): Promise<unknown> {
    await this.#parts.writer.perform({ type: 'close_expired', interactionId, reason: 'timeout' });
    return endClosed('timeout', this.#signal);
  }

  /**
   * Stores the value and resolves with it as JSON carries it, which is what a re-entered handler gets. It counts only once stored
   * (DUR2).
   */
  async #complete({ interactionId }: InteractionRequest, settlement: Settlement, raw: unknown): Promise<unknown> {
    const value = countLimit(this.#rules.reached, () => toResult(raw, 'invalid_outcome'));
    if (settlement.kind === 'expired') {
      const resolved = { interactionId, resolution: { value } };
      await this.#parts.writer.perform({ type: 'close_expired', interactionId, reason: 'timeout' }, { resolved });
    } else {
      await this.#parts.writer.recordResolution(interactionId, { value });
    }
    return value;
  }

  async #defer(request: InteractionRequest, pending: PendingOutcome): Promise<PendingResult> {
    const { message, queued = true, ttlMs = this.#rules.durations.pendingTtlMs } = pending;
    const value: PendingResult = { pending: true, queued, message };
    const { interactionId } = request;
    await this.#parts.writer.perform(
      { type: 'defer', last: request, message, isQueued: queued, ttlMs },
      {
        resolved: { interactionId, resolution: { value: { ...value } } },
        onStored: (events) => {
          const event = events.find((candidate) => candidate.type === 'interaction_pending');
          if (event) this.#parts.waiters.goOn(event.payload.interactionId, this.#hooks);
        },
      },
    );
    return value;
  }

  /** Asks again. The new prompt inherits what it does not name and keeps what was typed; of another type only the risk (INT8). */
  #reprompt(last: InteractionRequest, settlement: Settlement, change: Partial<InteractionSpec>): Promise<OpenedPrompt> {
    const { error: _, fieldErrors: __, ...inherited } = this.#spec;
    const isOther = change.type !== undefined && change.type !== this.#spec.type;
    const { risk } = inherited;
    const kept = isOther ? { ...(risk && { risk }) } : inherited;
    const handed = { code: 'invalid_outcome', door: 'reprompt' } as const;
    const changed = countLimit(this.#rules.reached, () => requireRequest(change, handed, kept));
    requireOwnView(changed, this.#options.plugin, 'invalid_outcome');
    requireNoFiles(changed, this.#options.whyNoFiles, 'invalid_outcome');
    this.#spec = limitToQuorum(this.#options.narrow(changed));
    const input = settlement.kind === 'answered' && !isOther ? settlement.answer.input : undefined;
    if (input && change.initialValues === undefined) this.#spec.initialValues = typedValues(last, input, this.#spec);
    return this.#open({ type: 'reprompt', last, draft: this.#draft() });
  }

  /** Stores the failure as the resolution; an expired prompt is settled with it (INT3, DUR2). */
  async #fail({ interactionId }: InteractionRequest, settlement: Settlement, error: unknown): Promise<never> {
    const resolution = { error: toToolError(error, 'handler_error') };
    if (settlement.kind === 'expired') {
      const resolved = { interactionId, resolution };
      await this.#parts.writer.perform({ type: 'close_expired', interactionId, reason: 'handler_error' }, { resolved });
    } else {
      await this.#parts.writer.recordResolution(interactionId, resolution).catch(() => undefined); // report the original error
    }
    throw error;
  }

  get #digest(): string {
    return digestOf(this.#parts.writer.call.toolName, this.#spec);
  }

  #draft(): PromptDraft {
    const { presentation = 'tool', onUnavailable = 'error', ...asked } = this.#spec;
    const { type, key: _, timeoutMs: wanted, view: __, ...shown } = asked;
    const { toolCallId, toolName } = this.#parts.writer.call;
    const { args, reviewed } = this.#options;
    const isOfOthers = !isSameJson(args, argsOf(this.#parts.writer.call));
    const { markOf, maySuggest } = this.#options;
    const mark = markOf(shown.risk);
    const suggests = maySuggest && takesSuggestions({ ...shown, ...mark });
    const isAboutArgs = type === 'approval' && (shown.editable === true || shown.rules !== undefined || suggests);
    const set = wanted === null ? {} : { timeoutMs: wanted };
    const patience = wanted === undefined ? this.#rules.patience(this.#parts.writer.session.id, shown) : set;
    const approvalScopes = offeredScopes(this.#spec);
    const isLasting = approvalScopes?.some((scope) => scope !== 'once');
    const offer = isLasting ? this.#options.offer : undefined; // otherwise it neither creates a grant nor is answered by one
    const draft = {
      toolCallId,
      slot: this.#options.slot,
      toolName,
      interactionType: type,
      ...shown,
      ...toShown(this.#spec, this.#options.plugin),
      ...(suggests && { suggests }),
      ...(isAboutArgs && isOfOthers && { args }),
      ...(approvalScopes && { approvalScopes }),
      ...membersOf(offer),
      ...(type === 'approval' && reviewed && { reviewed }),
      presentation,
      source: this.#options.source,
      digest: this.#digest,
      ...mark,
      ...patience,
      onUnavailable,
      ...markHooks(this.#hooks),
      ...(this.#commentsTo && { commentsTo: this.#commentsTo }),
    };
    countLimit(this.#rules.reached, () => requireModestSize(draft));
    return draft as PromptDraft; // the schema of the spec has checked what belongs to its type
  }
}

function replay(resolution: Resolution): Json {
  if ('error' in resolution) throw new ToolError(resolution.error.code, resolution.error.message);
  return resolution.value;
}

const answerSetAside =
  'After this was answered, the tool asks another question, or at a higher risk: the earlier answer does not count.';

const secretsLost =
  'The server was started again, and secrets are never kept: please fill in what is secret once more.';
