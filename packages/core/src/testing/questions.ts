import { nobodyWords, ToolError, toToolError } from '../basics/error.ts';
import type { Json } from '../basics/json.ts';
import type { GrantOffer } from '../plugin/approve.ts';
import { requireKey } from '../plugin/call-faults.ts';
import type { InteractionDemand, InteractionHooks, PendingOutcome, PendingResult } from '../plugin/demand.ts';
import { checkOutcome } from '../plugin/outcome.ts';
import { secretFields, typedValues } from '../plugin/read-request.ts';
import { withdrawn } from '../plugin/withdrawal.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import { digestText, type InteractionSpec, offeredScopes } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { isSameJson } from '../schema/call-args.ts';
import { Prompt, type Settlement } from './prompt.ts';
import { readSpec } from './read-spec.ts';
import type { Scene, Slot } from './scene.ts';
import { toJson } from './stage.ts';

/** A server's defaults for prompts, in ms. */
const timeoutMs = 5 * 60_000;
const pendingTtlMs = 7 * 24 * 3_600_000;
const graceMs = 30_000;
const maxReprompts = 20;

/** One run of a handler. Nothing of it continues after its process crashes. */
export interface Life {
  /** Returns the same promise, which never settles if the process crashes first. */
  live<T>(promise: Promise<T>): Promise<T>;
  wait<T>(promise: Promise<T>): Promise<T>;
  /** @throws ToolError `handler_timeout` if the stage's clock passes the hook's time limit (INT12) */
  hook<T>(fn: () => T | Promise<T>): Promise<T>;
}

/** Asks the people of a play, for one run of its handler. */
export class Questions {
  readonly #play: Scene;
  readonly #life: Life;
  readonly #keys = new Set<string>();
  #asked = 0;
  /** Arguments that the call currently runs with. */
  args: Json;

  constructor(play: Scene, life: Life) {
    this.#play = play;
    this.#life = life;
    this.args = play.args;
  }

  /** Implements `ctx.requestInteraction` and what is built on it. */
  async request(demand: InteractionDemand, offer?: GrantOffer): Promise<unknown> {
    const { key } = demand ?? {};
    if (key !== undefined && this.#keys.has(key)) {
      throw new ToolError('tool_error', `requestInteraction: this call has asked under the key "${key}" before.`);
    }
    if (key !== undefined) requireKey(key);
    if (key !== undefined) this.#keys.add(key);
    this.#asked += key === undefined ? 1 : 0;
    return this.ask(demand, key ?? String(this.#asked), offer);
  }

  async ask(demand: InteractionDemand, slotName: string, offer?: GrantOffer): Promise<unknown> {
    const { onResponse, onTimeout, onCancel, onLateResponse, signal } = demand;
    const spec = readSpec(demand, 'tool_error');
    const hooks: InteractionHooks = {
      ...(onResponse && { onResponse }),
      ...(onTimeout && { onTimeout }),
      ...(onCancel && { onCancel }),
      ...(onLateResponse && { onLateResponse }),
    };
    const digest = digestText(this.#play.toolName, spec);
    const past = this.#play.slots.get(slotName);
    if (past?.digest === digest) return this.#goOn(past, slotName, hooks, signal);
    past?.prompt.close();
    if (signal?.aborted) throw withdrawn(signal);
    if (!this.#play.stage.available && spec.onUnavailable !== 'wait') {
      throw new ToolError('interaction_unavailable', nobodyWords);
    }
    const slot: Slot = { digest, prompt: this.#open(spec, { slot: slotName, offer }, hooks) };
    this.#play.slots.set(slotName, slot);
    return this.#run(slot, slotName, hooks, signal);
  }

  /** Continues with what was asked before a crash: its record, or the prompt that is still open. */
  async #goOn(
    past: Slot,
    slotName: string,
    hooks: InteractionHooks,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { prompt, pending, resolution } = past;
    prompt.hooks = hooks;
    if (pending) return pending;
    if (resolution && 'error' in resolution) throw new ToolError(resolution.error.code, resolution.error.message);
    if (resolution) return resolution.value;
    const isLost = prompt.answered?.input && secretFields(prompt.request).some((id) => prompt.answered?.input?.[id]);
    if (isLost) past.prompt = this.#again(prompt, prompt.settlement, { error: secretsLost }, slotName, hooks);
    else if (prompt.state === 'open' && prompt.expiresAt !== undefined) {
      prompt.expiresAt = Math.max(prompt.expiresAt, this.#play.stage.now + graceMs);
    }
    if (past.prompt.state === 'open' && !isLost) this.#play.meet(prompt);
    return this.#run(past, slotName, hooks, signal);
  }

  async #run(slot: Slot, slotName: string, hooks: InteractionHooks, signal: AbortSignal | undefined): Promise<unknown> {
    for (let reprompts = slot.prompt.request.attempt - 1; ; reprompts += 1) {
      const { prompt } = slot;
      const settlement = await this.#life.wait(prompt.wait(hooks, signal));
      if (settlement.kind === 'failed') throw settlement.error;
      if (settlement.kind === 'withdrawn') throw withdrawn(signal);
      if (settlement.kind === 'closed') throw new ToolError('cancelled', 'The turn ended before anybody answered.');
      if (settlement.kind === 'expired' && !hooks.onTimeout) {
        slot.resolution = { value: { ok: false, error: 'timeout' } };
        return { ok: false, error: 'timeout' };
      }
      try {
        const outcome = await this.#decide(settlement, hooks);
        if ('complete' in outcome) {
          if (settlement.kind === 'answered' && !hooks.onResponse) return outcome.complete;
          const value = toJson(outcome.complete, 'invalid_outcome', 'the outcome');
          slot.resolution = { value };
          return value;
        }
        if ('pending' in outcome) return this.#defer(slot, settlement, outcome.pending, slotName, hooks);
        if (reprompts >= maxReprompts) {
          throw new ToolError('reprompt_limit', `This was asked again ${maxReprompts} times without a result.`);
        }
        slot.prompt = this.#again(prompt, settlement, outcome.reprompt, slotName, hooks);
      } catch (error) {
        slot.resolution = { error: toToolError(error, 'handler_error') };
        throw error;
      }
    }
  }

  async #decide(
    settlement: Exclude<Settlement, { kind: 'closed' | 'failed' | 'withdrawn' }>,
    { onResponse, onTimeout }: InteractionHooks,
  ) {
    if (settlement.kind === 'answered' && !onResponse) return { complete: settlement.answer };
    return checkOutcome(
      await this.#life.hook(() =>
        settlement.kind === 'expired' ? onTimeout?.() : onResponse?.(settlement.answer as InteractionAnswer),
      ),
    );
  }

  #defer(
    slot: Slot,
    settlement: Settlement,
    { message, queued = true, ttlMs = pendingTtlMs }: PendingOutcome,
    slotName: string,
    hooks: InteractionHooks,
  ): PendingResult {
    slot.pending = { pending: true, queued, message };
    if (settlement.kind === 'answered' && queued)
      slot.prompt = this.#again(slot.prompt, undefined, {}, slotName, hooks, 'pending');
    const { prompt } = slot;
    prompt.hooks = hooks;
    prompt.settlement = undefined;
    prompt.state = queued ? 'pending' : 'closed';
    prompt.expiresAt = this.#play.stage.now + ttlMs;
    return slot.pending;
  }

  /**
   * Opens the next prompt of a slot. It inherits members that `change` omits, unless the type differs, and what was typed (INT8).
   */
  #again(
    { request: last, spec: { error: _, fieldErrors: __, ...before }, offer }: Prompt,
    settlement: Settlement | undefined,
    change: Partial<InteractionSpec>,
    slot: string,
    hooks: InteractionHooks,
    state: 'open' | 'pending' = 'open',
  ): Prompt {
    const isOther = change.type !== undefined && change.type !== before.type;
    const spec = readSpec(change, 'invalid_outcome', isOther ? {} : before);
    const input = settlement?.kind === 'answered' && !isOther ? settlement.answer.input : undefined;
    if (input && change.initialValues === undefined) spec.initialValues = typedValues(last, input, spec);
    return this.#open(
      spec,
      { slot, offer, last: { interactionId: last.interactionId, attempt: last.attempt } },
      hooks,
      state,
    );
  }

  #open(
    spec: InteractionSpec,
    {
      slot,
      offer,
      last,
    }: { slot: string; offer?: GrantOffer | undefined; last?: { interactionId: string; attempt: number } },
    hooks: InteractionHooks,
    state: 'open' | 'pending' = 'open',
  ): Prompt {
    const { stage, toolName, toolCallId } = this.#play;
    const {
      type,
      key: _,
      timeoutMs: wanted = timeoutMs,
      presentation = 'tool',
      onUnavailable = 'error',
      view,
      ...shown
    } = this.#play.redact(spec);
    const approvalScopes = offeredScopes(spec);
    const isAboutArgs = type === 'approval' && (spec.editable === true || spec.rules !== undefined);
    const isAsWritten = isSameJson(this.args, this.#play.args);
    const prompt = new Prompt({
      request: {
        ...{ toolCallId, toolName, slot, interactionType: type, presentation, onUnavailable },
        ...shown,
        ...(view && { view: { plugin: 'played', ...view } }),
        interactionId: this.#play.nextInteractionId(slot),
        attempt: (last?.attempt ?? 0) + 1,
        ...(last && { replaces: last.interactionId }),
        ...(approvalScopes && { approvalScopes }),
        ...(isAboutArgs && !isAsWritten && { args: this.args }),
        ...(offer && { grantKey: offer.key }),
        ...(wanted !== null && { timeoutMs: wanted, expiresAt: new Date(stage.now + wanted).toISOString() }),
        source: { kind: 'tool', name: toolName },
        digest: digestText(toolName, spec),
        requesters: [stage.person.owner ?? stage.person.id],
        hasTimeoutHook: hooks.onTimeout !== undefined,
      } as InteractionRequest, // the schema of the spec has checked what belongs to its type
      ...{ spec, offer, person: stage.person, now: () => stage.now },
      onAnswered: (answered, answer) => this.#play.keepGrant(answered, answer),
      onLate: (late, answer) => this.#play.followUp(late, answer),
    });
    prompt.state = state;
    prompt.hooks = hooks;
    this.#play.addPrompt(prompt);
    return prompt;
  }
}

const secretsLost =
  'The server was started again, and secrets are never kept: please fill in what is secret once more.';
