import {
  findCall,
  type GrantOffer,
  type InteractionDemand,
  type InteractionRequest,
  isRecord,
  ToolError,
} from '@parleyhq/core';
import type { Asking } from '../tools/policy.ts';
import type { AskingRules } from './call-services.ts';
import { narrow } from './narrow.ts';
import { type CallParts, Question } from './question.ts';

export interface AskerOptions {
  readonly parts: CallParts;
  readonly rules: AskingRules;
  /** Whom the configuration lets the tool ask, and who sees the call. */
  readonly bounds: Asking;
  /** Whether the tool's plugin says what a rule covers. */
  readonly mayOfferRules: boolean;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  /** The sub-agent that makes the call, and whether its turn was just resumed after a start. */
  readonly origin: { readonly from: string | undefined; isWithinGrace(): boolean };
}

/** Asks people for one call; each of its questions has a slot of its own (DUR5). */
export class Asker {
  readonly #options: AskerOptions;
  readonly #keys = new Set<string>();
  #asked = 0;
  #hasAsked = false;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** `ctx.requestInteraction`. */
  requestInteraction(demand: InteractionDemand, offer?: GrantOffer): Promise<unknown> {
    const promise = this.#request(demand, offer);
    promise.catch(() => undefined); // a handler that raced it away need not hear that it rejects later
    return promise;
  }

  /** What is asked within the configuration, now. @throws ToolError `interaction_unavailable` */
  narrow<Demand extends Asking>(demand: Demand): Demand {
    const { session, call } = this.#options.parts.writer;
    return narrow(demand, this.#options.bounds, findCall(session.head, call.toolCallId));
  }

  /** Whether any prompt may be in the log. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  /** Asks in a slot; those that begin with `$` are Parley's own. @throws ToolError */
  async ask(
    demand: InteractionDemand,
    slot: string,
    source: InteractionRequest['source'],
    offer?: GrantOffer,
  ): Promise<unknown> {
    const { parts, rules, mayOfferRules, signal, origin } = this.#options;
    this.#hasAsked = true;
    if (signal.aborted) throw new ToolError('call_closed', 'The call is over: nobody can be asked any more.');
    if (!isRecord(demand)) throw new ToolError('tool_error', 'requestInteraction: needs a request.');
    if (demand.rules?.length && !mayOfferRules) {
      throw new ToolError('tool_error', 'requestInteraction: rules need a function "covers" in the plugin.');
    }
    const isWithinGrace = origin.isWithinGrace();
    const narrowed = <Demand extends Asking>(wanted: Demand) => this.narrow(wanted);
    return new Question(parts, rules, demand, { slot, source, offer, isWithinGrace, narrow: narrowed }).run();
  }

  /** After a restart a question is found by its key, else by its number. */
  async #request(demand: InteractionDemand, offer?: GrantOffer): Promise<unknown> {
    const { key } = demand ?? {};
    if (key !== undefined && this.#keys.has(key)) {
      throw new ToolError('tool_error', `requestInteraction: this call has asked under the key "${key}" before.`);
    }
    if (key !== undefined) this.#keys.add(key);
    const { from } = this.#options.origin;
    const { toolName } = this.#options.parts.writer.call;
    const source =
      from === undefined ? ({ kind: 'tool', name: toolName } as const) : ({ kind: 'agent', name: from } as const);
    return this.ask(demand, key ?? String(++this.#asked), source, offer);
  }
}
