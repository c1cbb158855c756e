import {
  type CloseReason,
  type Command,
  digestText,
  type FormValues,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionHooks,
  type InteractionRequest,
  type InteractionSpec,
  interactionSpecSchema,
  isRecord,
  maxReprompts,
  type Outcome,
  offeredScopes,
  type PendingResult,
  type PromptDraft,
  ToolError,
  type ToolErrorCode,
} from '@parley/core';
import type { CallRunner } from './call.ts';

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
  #spec: InteractionSpec;

  /** @throws ToolError `tool_error` where the demand is no valid one */
  constructor(
    call: CallRunner,
    demand: InteractionDemand,
    options: { slot: string; source: InteractionRequest['source'] },
  ) {
    const { onResponse, onTimeout, onCancel, onLateResponse, ...spec } = demand;
    this.#call = call;
    this.#slot = options.slot;
    this.#source = options.source;
    this.#spec = parseSpec(spec, 'tool_error');
    this.hooks = {
      ...(onResponse && { onResponse }),
      ...(onTimeout && { onTimeout }),
      ...(onCancel && { onCancel }),
      ...(onLateResponse && { onLateResponse }),
    };
  }

  /** Asks, waits, lets the hooks decide, until one completes or the tool goes on. */
  async run(): Promise<unknown> {
    this.#requireSomebody();
    const isGate = this.#source.kind === 'policy';
    let prompt = await this.#open({ type: 'ask', draft: this.#draft(), isGate });
    for (let reprompts = 0; ; reprompts += 1) {
      const settlement = await this.#call.waitForPeople(prompt.settlement);
      if (settlement.kind === 'closed') return endClosed(settlement.reason);
      const outcome = await this.#decide(prompt.request, settlement);
      if ('complete' in outcome) return this.#complete(prompt.request, settlement, outcome.complete);
      if ('pending' in outcome) return this.#defer(prompt.request, outcome.pending);
      if (reprompts === maxReprompts) {
        const error = new ToolError('reprompt_limit', `This was asked ${maxReprompts} times again without an end.`);
        return this.#fail(prompt.request, settlement, error);
      }
      prompt = await this.#reprompt(prompt.request, settlement, outcome.reprompt);
    }
  }

  #requireSomebody(): void {
    if (this.#spec.onUnavailable === 'wait' || this.#call.runtime.availability.available) return;
    throw new ToolError('interaction_unavailable', 'Nobody who could answer is connected.');
  }

  /** The waiter is armed between commit and broadcast: an instant answer finds it (INT1). */
  async #open(command: Command): Promise<OpenedPrompt> {
    let opened: OpenedPrompt | undefined;
    await this.#call.perform(command, (events) => {
      const request = events.find((event) => event.type === 'interaction_request')?.payload;
      if (request) opened = { request, settlement: this.#call.settlementOf(request.interactionId, this) };
    });
    if (!opened) throw new ToolError('call_closed', 'The prompt did not open.');
    return opened;
  }

  /** The hook's verdict; without `onResponse` the answer itself completes. */
  async #decide(request: InteractionRequest, settlement: Exclude<Settlement, { kind: 'closed' }>): Promise<Outcome> {
    const { onResponse, onTimeout } = this.hooks;
    try {
      if (settlement.kind === 'expired') return checkOutcome(await this.#call.runHook(async () => onTimeout?.()));
      if (!onResponse) return { complete: settlement.answer };
      return checkOutcome(await this.#call.runHook(async () => onResponse(settlement.answer)));
    } catch (error) {
      return this.#fail(request, settlement, error);
    }
  }

  async #complete(request: InteractionRequest, settlement: Settlement, value: unknown): Promise<unknown> {
    const { interactionId } = request;
    if (settlement.kind === 'expired') {
      await this.#call.perform({ type: 'close_expired', interactionId, reason: 'timeout' });
    } else if (this.hooks.onResponse) {
      await this.#call.recordOutcome(interactionId, value);
    }
    return value;
  }

  async #defer(request: InteractionRequest, pending: { message: string; queued?: boolean }): Promise<PendingResult> {
    const { message, queued = true } = pending;
    const { pendingTtlMs: ttlMs } = this.#call.runtime.durations;
    const command: Command = { type: 'defer', last: request, message, isQueued: queued, ttlMs };
    await this.#call.perform(command, (events) => {
      const event = events.find((candidate) => candidate.type === 'interaction_pending');
      if (event) this.#call.keepLateHook(event.payload.interactionId, this.hooks.onLateResponse);
    });
    return { pending: true, queued, message };
  }

  /** Inherits what it does not name, unless it is of another type; what was typed is kept (INT8). */
  #reprompt(last: InteractionRequest, settlement: Settlement, change: Partial<InteractionSpec>): Promise<OpenedPrompt> {
    const { error: _, fieldErrors: __, ...inherited } = this.#spec;
    const base = change.type !== undefined && change.type !== this.#spec.type ? {} : inherited;
    const typed = settlement.kind === 'answered' ? typedValues(last, settlement.answer.input) : undefined;
    this.#spec = parseSpec({ ...base, ...(typed && { initialValues: typed }), ...change }, 'invalid_outcome');
    return this.#open({ type: 'reprompt', last, draft: this.#draft() });
  }

  /** An expired prompt has no settlement yet: it gets one before the promise rejects (INT3). */
  async #fail(request: InteractionRequest, settlement: Settlement, error: unknown): Promise<never> {
    const { interactionId } = request;
    if (settlement.kind === 'expired') {
      await this.#call.perform({ type: 'close_expired', interactionId, reason: 'handler_error' });
    }
    throw error;
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
      presentation,
      source: this.#source,
      digest: this.#call.runtime.hash(digestText(toolName, this.#spec)),
      ...(timeoutMs !== null && { timeoutMs }),
      onUnavailable,
    };
  }
}

/** How a promise ends whose prompt was closed under it. Fail closed: a timeout is never a consent (INT10). */
function endClosed(reason: CloseReason): { ok: false; error: 'timeout' } {
  if (reason === 'timeout') return { ok: false, error: 'timeout' };
  if (reason === 'cancelled' || reason === 'session_ended') {
    throw new ToolError('cancelled', 'The turn was stopped before anybody answered.');
  }
  throw new ToolError('call_closed', 'The call ended before anybody answered.');
}

function parseSpec(spec: unknown, code: ToolErrorCode): InteractionSpec {
  const parsed = interactionSpecSchema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
  throw new ToolError(code, `requestInteraction: ${faults.join('; ')}`);
}

/** What a person typed, as the next attempt's initial values; secrets are typed again. */
function typedValues(request: InteractionRequest, input: FormValues | undefined): Record<string, unknown> | undefined {
  if (!input || !request.inputSchema) return undefined;
  const fields = request.inputSchema.fields.filter((field) => field.type !== 'secret' && input[field.id] !== undefined);
  return Object.fromEntries(fields.map((field) => [field.id, input[field.id]]));
}

/** Exactly one of the three verdicts. @throws ToolError `invalid_outcome` */
function checkOutcome(outcome: unknown): Outcome {
  if (isRecord(outcome) && Object.keys(outcome).length === 1) {
    if ('complete' in outcome) return { complete: outcome.complete };
    if (isRecord(outcome.reprompt)) return { reprompt: outcome.reprompt as Partial<InteractionSpec> };
    if (isRecord(outcome.pending) && typeof outcome.pending.message === 'string') {
      const { message, queued } = outcome.pending;
      return { pending: { message, ...(typeof queued === 'boolean' && { queued }) } };
    }
  }
  throw new ToolError('invalid_outcome', 'A hook must return one of {complete}, {reprompt} and {pending: {message}}.');
}
