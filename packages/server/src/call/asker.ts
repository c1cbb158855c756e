import {
  findCall,
  type GrantOffer,
  type InteractionDemand,
  type InteractionRequest,
  isRecord,
  type Json,
  ToolError,
} from '@parleyhq/core';
import type { Asking } from '../tools/policy.ts';
import type { AskingRules } from './call-services.ts';
import { isWithin, narrow } from './narrow.ts';
import type { OwnViews } from './own-view.ts';
import { type CallParts, Question } from './question.ts';

export interface AskerOptions {
  readonly parts: CallParts;
  readonly rules: AskingRules;
  /** Whom the configuration lets the tool ask, and who sees the call. */
  readonly bounds: Asking;
  /** Whether the tool's plugin says what a rule covers. */
  readonly mayOfferRules: boolean;
  /** The plugin's name, and its views. */
  readonly plugin: OwnViews;
  /** Why it may not ask for files, if so (PLG13). */
  readonly whyNoFiles: string | undefined;
  /** The program outside whose tool it is. */
  readonly program: InteractionRequest['source'] | undefined;
  /** What the call runs with by now: its arguments, or what a person made of them. */
  args(): Json;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  /** The sub-agent that makes the call, and whether its turn was just resumed after a start. */
  readonly origin: { readonly from: string | undefined; isWithinGrace(): boolean };
}

export interface AskingOptions {
  /** What a lasting consent covers. */
  readonly offer?: GrantOffer;
  /** The call of the context that its author wrote, for what is said of a fault. */
  readonly door?: string;
}

/** Asks people for one call; each of its questions has a slot of its own (DUR5). */
export class Asker {
  readonly #options: AskerOptions;
  readonly #keys = new Set<string>();
  #asked = 0;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** `ctx.requestInteraction`, and what is built on it. */
  requestInteraction(demand: InteractionDemand, options?: AskingOptions): Promise<unknown> {
    const promise = this.#request(demand, options);
    promise.catch(() => undefined); // a handler that raced it away need not hear that it rejects later
    return promise;
  }

  /** What is asked within the configuration, now. @throws ToolError `interaction_unavailable` */
  narrow<Demand extends Asking>(demand: Demand): Demand {
    const { session, call } = this.#options.parts.writer;
    return narrow(demand, this.#options.bounds, findCall(session.head, call.toolCallId));
  }

  /** Asks in a slot; those that begin with `$` are Parley's own. @throws ToolError */
  async ask(
    demand: InteractionDemand,
    slot: string,
    source: InteractionRequest['source'],
    { offer, door = 'requestInteraction' }: AskingOptions = {},
  ): Promise<unknown> {
    const { parts, rules, bounds, mayOfferRules, plugin, whyNoFiles, signal, origin } = this.#options;
    if (signal.aborted) throw new ToolError('call_closed', 'The call is over: nobody can be asked any more.');
    if (!isRecord(demand)) throw new ToolError('tool_error', `${door}: needs a request.`);
    if (!mayOfferRules && demand.rules?.some(({ keptByCaller }) => !keptByCaller)) {
      throw new ToolError('tool_error', `${door}: rules need a function "covers" in the plugin.`);
    }
    const isWithinGrace = origin.isWithinGrace();
    const narrowed = <Demand extends Asking>(wanted: Demand) => this.narrow(wanted);
    const isAllowed = (request: Asking) => isWithin(request, bounds);
    const args = this.#options.args();
    const options = { slot, source, offer, args, door, isWithinGrace, narrow: narrowed, isWithin: isAllowed };
    return new Question(parts, rules, demand, { ...options, plugin, whyNoFiles }).run();
  }

  /** After a restart a question is found by its key, else by its number. */
  async #request(demand: InteractionDemand, options: AskingOptions = {}): Promise<unknown> {
    const { key } = demand ?? {};
    if (key !== undefined && this.#keys.has(key)) {
      throw new ToolError(
        'tool_error',
        `${options.door ?? 'requestInteraction'}: this call has asked under the key "${key}" before.`,
      );
    }
    if (key !== undefined) this.#keys.add(key);
    if (key !== undefined) this.#options.parts.writer.requireKey(key);
    return this.ask(demand, key ?? String(++this.#asked), this.#source, options);
  }

  get #source(): InteractionRequest['source'] {
    const { origin, program, parts } = this.#options;
    if (program) return program; // a sub-agent's call, too: what is typed goes to that program
    if (origin.from !== undefined) return { kind: 'agent', name: origin.from };
    return { kind: 'tool', name: parts.writer.call.toolName };
  }
}
