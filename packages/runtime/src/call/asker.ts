import {
  findCall,
  type GrantOffer,
  type InteractionDemand,
  type InteractionRequest,
  isRecord,
  type Json,
  type Reviewed,
  ToolError,
} from '@parleyhq/core';
import type { Asking } from '../tools/policy.ts';
import { demandsStepUp, type StepUp } from '../tools/step-up.ts';
import type { AskingRules } from './call-services.ts';
import { isWithin, narrow } from './narrow.ts';
import type { OwnViews } from './own-view.ts';
import { type CallParts, Question } from './question.ts';

export interface AskerOptions {
  readonly parts: CallParts;
  readonly rules: AskingRules;
  /** People whom the configuration allows the tool to ask, and who may see the call. */
  readonly bounds: Asking;
  /** Whether the tool's plugin has `covers`, which decides what a rule covers. */
  readonly mayOfferRules: boolean;
  /** Whether it has `suggestRules`, too. */
  readonly maySuggest: boolean;
  /** Name and views of the plugin. */
  readonly plugin: OwnViews;
  /** Reason why the tool may not ask for files; undefined if it may (PLG13). */
  readonly whyNoFiles: string | undefined;
  /** The outside program that provides the tool, if any. */
  readonly program: InteractionRequest['source'] | undefined;
  /** Returns the arguments the call currently runs with: its own or those a person edited. */
  args(): Json;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  /** The sub-agent that makes the call, and whether its turn was resumed just now, after a restart. */
  readonly origin: { readonly from: string | undefined; isWithinGrace(): boolean };
}

export interface AskingOptions {
  /** The grant that a lasting consent creates. */
  readonly offer?: GrantOffer;
  /** What a reviewer found before. */
  readonly reviewed?: Reviewed | undefined;
  /** Context method that the author called, for error messages. */
  readonly door?: string;
}

/** Asks people on behalf of one call; each of its questions has its own slot (DUR5). */
export class Asker {
  readonly #options: AskerOptions;
  readonly #keys = new Set<string>();
  #asked = 0;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** Implements `ctx.requestInteraction` and the methods built on it. */
  requestInteraction(demand: InteractionDemand, options?: AskingOptions): Promise<unknown> {
    const promise = this.#request(demand, options);
    promise.catch(() => undefined); // a handler may abandon the promise: a later rejection is then not unhandled
    return promise;
  }

  /** What demands a passkey, and the mark of what the tool asks at this risk (SIGN2). */
  get stepUp(): StepUp | undefined {
    return this.#options.rules.stepUp;
  }

  markOf(risk: InteractionRequest['risk']): Pick<InteractionRequest, 'stepUp'> {
    const { toolName } = this.#options.parts.writer.call;
    return this.stepUp && demandsStepUp(this.stepUp, { toolName, risk }) ? { stepUp: true } : {};
  }

  /** Limits a demand to what the configuration currently allows. @throws ToolError `interaction_unavailable` */
  narrow<Demand extends Asking>(demand: Demand): Demand {
    const { session, call } = this.#options.parts.writer;
    return narrow(demand, this.#options.bounds, findCall(session.head, call.toolCallId));
  }

  /** Asks in a slot; slots that begin with `$` are Parley's own. @throws ToolError */
  async ask(
    demand: InteractionDemand,
    slot: string,
    source: InteractionRequest['source'],
    { offer, reviewed, door = 'requestInteraction' }: AskingOptions = {},
  ): Promise<unknown> {
    const { parts, rules, bounds, mayOfferRules, plugin, whyNoFiles, signal, origin } = this.#options;
    const maySuggest = this.#options.maySuggest && offer?.suggest === true;
    if (signal.aborted) throw new ToolError('call_closed', 'The call is over: nobody can be asked any more.');
    if (!isRecord(demand)) throw new ToolError('tool_error', `${door}: needs a request.`);
    if (!mayOfferRules && demand.rules?.some(({ keptByCaller }) => !keptByCaller)) {
      throw new ToolError('tool_error', `${door}: rules need a function "covers" in the plugin.`);
    }
    const isWithinGrace = origin.isWithinGrace();
    const narrowed = <Demand extends Asking>(wanted: Demand) => this.narrow(wanted);
    const isAllowed = (request: Asking) => isWithin(request, bounds);
    const args = this.#options.args();
    const markOf = (risk: InteractionRequest['risk']) => this.markOf(risk);
    const options = {
      ...{ slot, source, offer, reviewed, args, door, isWithinGrace, markOf },
      ...{ narrow: narrowed, isWithin: isAllowed },
    };
    return new Question(parts, rules, demand, { ...options, plugin, whyNoFiles, maySuggest }).run();
  }

  /** Asks in the slot named by the demand's key, or by its number if it has none; the slot identifies the question after a restart. */
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
    if (program) return program; // also for a sub-agent's call, because that program receives what is typed
    if (origin.from !== undefined) return { kind: 'agent', name: origin.from };
    return { kind: 'tool', name: parts.writer.call.toolName };
  }
}
