import {
  type CloseReason,
  type Command,
  digestText,
  type GrantOffer,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionHooks,
  type InteractionRequest,
  type InteractionSpec,
  type Json,
  limits,
  type Outcome,
  offeredScopes,
  type PendingResult,
  type PromptDraft,
  recoverySlot,
  ToolError,
  toToolError,
} from '@parleyhq/core';
import { countLimit } from '../tools/limit-error.ts';
import { toResult } from '../tools/tool-result.ts';
import type { CallRunner } from './call-runner.ts';
import type { PastAttempt, Verdict } from './journal.ts';
import {
  answerOf,
  checkOutcome,
  hasSecrets,
  parseSpec,
  requireKnownMembers,
  specOf,
  typedValues,
} from './question-spec.ts';

/** What ended the wait for a prompt. */
export type Settlement =
  | { readonly kind: 'answered'; readonly answer: InteractionAnswer }
  | { readonly kind: 'expired' }
  | { readonly kind: 'closed'; readonly reason: CloseReason };

interface OpenedPrompt {
  readonly request: InteractionRequest;
  readonly settlement: Promise<Settlement>;
}

/** One `requestInteraction`: from the first prompt of its slot to the end of its promise. */
export class Interaction {
  readonly hooks: InteractionHooks;
  readonly #call: CallRunner;
  readonly #slot: string;
  readonly #source: InteractionRequest['source'];
  readonly #offer: GrantOffer | undefined;
  #spec: InteractionSpec;

  /** @throws ToolError `tool_error` where the demand is no valid one */
  constructor(
    call: CallRunner,
    demand: InteractionDemand,
    options: { slot: string; source: InteractionRequest['source']; offer?: GrantOffer | undefined },
  ) {
    const { onResponse, onTimeout, onCancel, onLateResponse, ...spec } = demand;
    this.#call = call;
    this.#slot = options.slot;
    this.#source = options.source;
    requireKnownMembers(demand, 'tool_error');
    this.#offer = options.offer;
    this.#spec = countLimit(call.runtime, () => parseSpec(spec, 'tool_error'));
    this.hooks = {
      ...(onResponse && { onResponse }),
      ...(onTimeout && { onTimeout }),
      ...(onCancel && { onCancel }),
      ...(onLateResponse && { onLateResponse }),
    };
  }

  /** Asks, or takes up what was asked before a restart; waits, lets the hooks decide, until one completes. */
  async run(): Promise<unknown> {
    const past = this.#findPast();
    if (past?.state === 'pending') return this.#goOn(past);
    if (past?.outcome) return replay(past.outcome);
    let prompt = past ? await this.#takeUp(past) : await this.#ask();
    for (let reprompts = prompt.request.attempt - 1; ; reprompts += 1) {
      const settlement = await this.#call.waitForPeople(prompt.settlement);
      if (settlement.kind === 'closed') return endClosed(settlement.reason);
      if (settlement.kind === 'expired' && !this.hooks.onTimeout) return this.#timeOut(prompt.request);
      if (settlement.kind === 'answered') this.#call.secrets.learn(prompt.request, settlement.answer.input);
      try {
        const outcome = await this.#decide(prompt.request, settlement);
        if ('complete' in outcome) return await this.#complete(prompt.request, settlement, outcome.complete);
        if ('pending' in outcome) return await this.#defer(prompt.request, outcome.pending);
        if (reprompts >= limits.reprompts) {
          this.#call.runtime.onLimit('reprompts');
          throw new ToolError('reprompt_limit', `This was asked ${limits.reprompts} times again without an end.`);
        }
        prompt = await this.#reprompt(prompt.request, settlement, outcome.reprompt);
      } catch (error) {
        return this.#fail(prompt.request, settlement, error);
      }
    }
  }

  /** What this slot came to before a restart, where it asked the same: an answer never lands on another question (DUR5). */
  #findPast(): PastAttempt | undefined {
    const history = this.#call.journal.find(this.#slot);
    if (!history || history.first.digest !== this.#digest) return undefined;
    const { last } = history;
    if (this.#slot === recoverySlot && last.state !== 'open') return undefined; // each stop is asked about anew (DUR4)
    return last;
  }

  /** A first prompt. One that another question of an older plugin left open in this slot ends with it. */
  async #ask(): Promise<OpenedPrompt> {
    this.#requireSomebody();
    const last = this.#call.journal.find(this.#slot)?.last;
    const isGate = this.#source.kind === 'policy' && !last;
    const supersedes = last?.state === 'open' ? { supersedes: last.request.interactionId } : {};
    return this.#open({ type: 'ask', draft: this.#draft(), isGate, ...supersedes });
  }

  async #takeUp(past: PastAttempt): Promise<OpenedPrompt> {
    const { request, state } = past;
    this.#spec = specOf(request, this.#spec);
    if (hasSecrets(past)) return this.#reprompt(request, settlementOf(past), { error: secretsLost });
    if (state !== 'open') return { request, settlement: Promise.resolve(settlementOf(past)) };
    const settlement = this.#call.settlementOf(request.interactionId, this);
    if (request.grantKey !== undefined) this.#call.runtime.onGrant(this.#call.session.id);
    return { request, settlement };
  }

  /** The tool went on before the restart, and does again; a late answer that is still to come finds its hook. */
  #goOn({ request, message = '' }: PastAttempt): PendingResult {
    this.#call.keepLateHook(request.interactionId, this.hooks.onLateResponse);
    return { pending: true, queued: true, message };
  }

  #requireSomebody(): void {
    const { onUnavailable, audience } = this.#spec;
    const { runtime, session } = this.#call;
    if (onUnavailable === 'wait' || runtime.availability(session.id, audience).available) return;
    if (this.#call.isWithinGrace) return; // its people are on their way back (INT14)
    throw new ToolError('interaction_unavailable', 'Nobody who could answer is connected.');
  }

  /** The waiter is armed between commit and broadcast: an instant answer finds it (INT1). */
  async #open(command: Command): Promise<OpenedPrompt> {
    let opened: OpenedPrompt | undefined;
    await this.#call.perform(command, {
      onStored: (events) => {
        const request = events.find((event) => event.type === 'interaction_request')?.payload;
        if (request) opened = { request, settlement: this.#call.settlementOf(request.interactionId, this) };
      },
    });
    if (!opened) throw new ToolError('call_closed', 'The prompt did not open.');
    return opened;
  }

  /** The hook's verdict; without `onResponse` the answer itself completes. */
  async #decide(
    { interactionId }: InteractionRequest,
    settlement: Exclude<Settlement, { kind: 'closed' }>,
  ): Promise<Outcome> {
    const { onResponse, onTimeout } = this.hooks;
    if (settlement.kind === 'answered' && !onResponse) return { complete: settlement.answer };
    const hook = async () => (settlement.kind === 'expired' ? onTimeout?.() : onResponse?.(settlement.answer));
    return checkOutcome(await this.#call.runHook(interactionId, hook));
  }

  /** It expired while its handler was on its way back after a restart, and that has no hook to decide. */
  async #timeOut({ interactionId }: InteractionRequest): Promise<unknown> {
    await this.#call.perform({ type: 'close_expired', interactionId, reason: 'timeout' });
    return endClosed('timeout');
  }

  /** Resolves with what a re-entered handler gets, too: the value as JSON carries it. Only when stored it counts (DUR2). */
  async #complete({ interactionId }: InteractionRequest, settlement: Settlement, raw: unknown): Promise<unknown> {
    if (settlement.kind === 'answered' && !this.hooks.onResponse) return raw;
    const value = countLimit(this.#call.runtime, () => toResult(raw, 'invalid_outcome'));
    if (settlement.kind === 'expired') {
      const outcome = { interactionId, verdict: { value } };
      await this.#call.perform({ type: 'close_expired', interactionId, reason: 'timeout' }, { outcome });
    } else {
      await this.#call.recordOutcome(interactionId, { value });
    }
    return value;
  }

  async #defer(request: InteractionRequest, pending: { message: string; queued?: boolean }): Promise<PendingResult> {
    const { message, queued = true } = pending;
    const { pendingTtlMs: ttlMs } = this.#call.runtime.durations;
    const value: PendingResult = { pending: true, queued, message };
    const { interactionId } = request;
    await this.#call.perform(
      { type: 'defer', last: request, message, isQueued: queued, ttlMs },
      {
        outcome: { interactionId, verdict: { value: { ...value } } },
        onStored: (events) => {
          const event = events.find((candidate) => candidate.type === 'interaction_pending');
          if (event) this.#call.keepLateHook(event.payload.interactionId, this.hooks.onLateResponse);
        },
      },
    );
    return value;
  }

  /** Inherits what it does not name, unless it is of another type; what was typed is kept (INT8). */
  #reprompt(last: InteractionRequest, settlement: Settlement, change: Partial<InteractionSpec>): Promise<OpenedPrompt> {
    requireKnownMembers(change, 'invalid_outcome');
    const { error: _, fieldErrors: __, ...inherited } = this.#spec;
    const isOther = change.type !== undefined && change.type !== this.#spec.type;
    const next = isOther ? change : { ...inherited, ...change };
    this.#spec = countLimit(this.#call.runtime, () => parseSpec(next, 'invalid_outcome'));
    const input = settlement.kind === 'answered' && !isOther ? settlement.answer.input : undefined;
    if (input && change.initialValues === undefined) this.#spec.initialValues = typedValues(last, input, this.#spec);
    return this.#open({ type: 'reprompt', last, draft: this.#draft() });
  }

  /** A failure is an outcome like any other; an expired prompt gets its settlement with it (INT3, DUR2). */
  async #fail({ interactionId }: InteractionRequest, settlement: Settlement, error: unknown): Promise<never> {
    const verdict = { error: toToolError(error, 'handler_error') };
    if (settlement.kind === 'expired') {
      const outcome = { interactionId, verdict };
      await this.#call.perform({ type: 'close_expired', interactionId, reason: 'handler_error' }, { outcome });
    } else {
      await this.#call.recordOutcome(interactionId, verdict).catch(() => undefined); // the error itself is what is told
    }
    throw error;
  }

  get #digest(): string {
    return this.#call.runtime.hash(digestText(this.#call.call.toolName, this.#spec));
  }

  #draft(): PromptDraft {
    const { type, key: _, timeoutMs: wanted, presentation = 'tool', onUnavailable = 'error', ...shown } = this.#spec;
    const { toolCallId, toolName } = this.#call.call;
    const timeoutMs = wanted === undefined ? this.#call.runtime.durations.interactionTimeoutMs : wanted;
    const approvalScopes = offeredScopes(this.#spec);
    return {
      toolCallId,
      slot: this.#slot,
      toolName,
      interactionType: type,
      ...shown,
      ...(approvalScopes && { approvalScopes }),
      ...(this.#offer && { grantKey: this.#offer.key }),
      ...(this.#offer?.ttlMs !== undefined && { grantTtlMs: this.#offer.ttlMs }),
      presentation,
      source: this.#source,
      digest: this.#digest,
      ...(timeoutMs !== null && { timeoutMs }),
      onUnavailable,
      ...(!this.hooks.onResponse && { isPlain: true }),
      hasTimeoutHook: this.hooks.onTimeout !== undefined,
    };
  }
}

/** How a prompt was settled before its handler came back to it. */
function settlementOf({ state, response, closed }: PastAttempt): Settlement {
  if (response) return { kind: 'answered', answer: answerOf(response) };
  if (state === 'expired') return { kind: 'expired' };
  return { kind: 'closed', reason: closed?.reason ?? 'timeout' };
}

function replay(verdict: Verdict): Json {
  if ('error' in verdict) throw new ToolError(verdict.error.code, verdict.error.message);
  return verdict.value;
}

/** How a promise ends whose prompt was closed under it. Fail closed: a timeout is never a consent (INT10). */
function endClosed(reason: CloseReason): { ok: false; error: 'timeout' } {
  if (reason === 'timeout') return { ok: false, error: 'timeout' };
  if (reason === 'cancelled' || reason === 'session_ended') {
    throw new ToolError('cancelled', 'The turn was stopped before anybody answered.');
  }
  throw new ToolError('call_closed', 'The call ended before anybody answered.');
}

const secretsLost =
  'The server was started again, and secrets are never kept: please fill in what is secret once more.';
