import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  type InteractionId,
  isRecord,
  mayAnswer,
  type OpenPrompt,
  RefusalError,
  type WireErrorCode,
} from '@parleyhq/core';
import type { FrameLink } from './frame-link.ts';
import { type AskedIn, toQuestion } from './question.ts';
import type { RpcPeer } from './rpc.ts';
import { toContent } from './transcript.ts';
import { describeOthers } from './words.ts';

export interface QuestionHost extends Omit<AskedIn, 'url'> {
  readonly rpc: RpcPeer;
  readonly frames: FrameLink;
  urlOf(interactionId: InteractionId): string;
  /** Shows the person of the editor what became of their answer. */
  report(text: string): void;
}

interface Shown {
  /** Whether the person may answer it; an escalation may change that (TEAM5). */
  readonly isAsked: boolean;
  takeBack(): void;
}

/** How often an answer that does not fit is asked for again; after that the card is the place. */
const mostAttempts = 5;

/** Time in ms after which an answer is sent again while the prompt is being decided. */
const againMs = 250;

/** Refusals after which the events of the session say what happened. */
const explained: ReadonlySet<WireErrorCode> = new Set(['already_answered', 'stale', 'closed', 'not_found']);

/** The prompts of a session that an editor is asked. */
export class OpenQuestions {
  readonly #host: QuestionHost;
  readonly #shown = new Map<InteractionId, Shown>();

  constructor(host: QuestionHost) {
    this.#host = host;
  }

  /** Asks what can be answered and was not asked yet, and takes back what is settled. @param prompts - all that are not settled */
  follow(prompts: readonly OpenPrompt[]): void {
    const unsettled = new Set(prompts.map(idOf));
    for (const [id, { takeBack }] of this.#shown) {
      if (unsettled.has(id)) continue;
      this.#shown.delete(id);
      takeBack();
    }
    for (const prompt of prompts) if (prompt.state !== 'expired') this.#show(prompt);
  }

  takeBackAll(): void {
    this.follow([]);
  }

  #show(prompt: OpenPrompt): void {
    const { request, requesters = request.requesters } = prompt;
    const isAsked = mayAnswer(this.#host.principal, { ...request, requesters: requesters && [...requesters] });
    if (this.#shown.get(idOf(prompt))?.isAsked === isAsked) return;
    if (isAsked) this.#ask(prompt);
    else this.#say(prompt);
  }

  /** Says that a prompt waits for other people. */
  #say({ request: { toolCallId, interactionId }, request }: OpenPrompt): void {
    const { sessionId, rpc } = this.#host;
    const content = [toContent(describeOthers(request, this.#host.urlOf(interactionId)))];
    rpc.notify('session/update', { sessionId, update: { sessionUpdate: 'tool_call_update', toolCallId, content } });
    this.#shown.set(interactionId, { isAsked: false, takeBack: () => undefined });
  }

  #ask(prompt: OpenPrompt, attempt = 1): void {
    const id = idOf(prompt);
    const { method, params, read } = toQuestion(prompt, { ...this.#host, url: this.#host.urlOf(id) });
    const takeBack = this.#host.rpc.ask(method, params, (given) => {
      const answer = given && read(given.result);
      if (answer) void this.#deliver(prompt, answer, attempt); // anything else answers nothing: the prompt stays open
    });
    this.#shown.set(id, { isAsked: true, takeBack });
  }

  async #deliver(prompt: OpenPrompt, answer: Answer, attempt: number): Promise<void> {
    const refusal = await this.#send(prompt, answer);
    if (!refusal || explained.has(refusal.code) || !this.#shown.has(idOf(prompt))) return;
    const words = `Your answer was not taken: ${refusal.message}`;
    if (refusal.code !== 'invalid' || attempt >= mostAttempts) {
      this.#host.report(`${words} ${this.#host.urlOf(idOf(prompt))}`);
      return;
    }
    const fieldErrors = isRecord(refusal.details) ? refusal.details.fieldErrors : undefined;
    const faults = isRecord(fieldErrors) ? { fieldErrors: fieldErrors as Record<string, string> } : {};
    this.#ask({ ...prompt, request: { ...prompt.request, error: words, ...faults } }, attempt + 1);
  }

  /** Sends an answer with the digest that was shown. @returns why the server refused it */
  async #send({ request }: OpenPrompt, answer: Answer): Promise<RefusalError | undefined> {
    const { sessionId, frames } = this.#host;
    const { interactionId, toolCallId: callId, digest } = request;
    const ids = { sessionId, callId, interactionId, answerId: randomUUID(), digest };
    const { files: _, annotations: __, input, ...rest } = answer;
    const frame = {
      type: 'tool_interaction_response' as const,
      ...ids,
      ...rest,
      ...(input && { input: { ...input } }),
    };
    for (;;) {
      try {
        await frames.request(frame);
        return undefined;
      } catch (error) {
        if (!(error instanceof RefusalError)) throw error;
        if (error.code !== 'retry_later' || !this.#shown.has(interactionId)) return error;
        await sleep(againMs, undefined, { ref: false });
      }
    }
  }
}

function idOf({ request }: OpenPrompt): InteractionId {
  return request.interactionId;
}
