import {
  type Answer,
  anchorPattern,
  checkAnnotations,
  checkAnswer,
  checkAttachments,
  type Field,
  type FieldErrors,
  type FormValues,
  hasVisible,
  type InteractionAnswer,
  type InteractionRequest,
  type InteractionSpec,
  includesRole,
  mayAnswer,
  mayEdit,
  needsSeveral,
  type Principal,
} from '@parleyhq/core';
import { annotate, approve, type Consenting, cancel, deny, type SaidBy, submit } from './reaction.ts';

export type PromptState = 'open' | 'pending' | 'answered' | 'expired' | 'closed';

/** How a prompt is answered and expires. */
export interface PromptHandlers {
  /** Answers unless a reaction names somebody else. */
  readonly person: Principal;
  answer(prompt: Prompt, answer: Answer, by: Principal): void;
  comment(prompt: Prompt, text: string, by: Principal): void;
  expire(prompt: Prompt): void;
}

/** A prompt of a played tool, with the actions of a person. */
export class Prompt {
  readonly request: InteractionRequest;
  state: PromptState = 'open';
  /** Deadline in ms since 1970; undefined if there is none. */
  expiresAt: number | undefined;
  /** The answer that counted, with secrets in the clear. */
  answered: InteractionAnswer | undefined;
  readonly #handlers: PromptHandlers;

  constructor(request: InteractionRequest, handlers: PromptHandlers) {
    this.request = request;
    this.#handlers = handlers;
    this.expiresAt = request.expiresAt === undefined ? undefined : Date.parse(request.expiresAt);
  }

  get title(): string | undefined {
    return this.request.title;
  }

  get prompt(): string | undefined {
    return this.request.prompt;
  }

  /** The request as its author wrote it, with inherited members; and with what the server adds. */
  get spec(): InteractionSpec {
    const { interactionType: type, slot: key, timeoutMs = null, ...shown } = this.request;
    return { ...shown, type, key, timeoutMs } as InteractionSpec;
  }

  /** Fields of its form; empty if it has none. */
  get fields(): readonly Field[] {
    return this.request.inputSchema?.fields ?? [];
  }

  /** Initial values of the form, by field id. */
  get initialValues(): FormValues {
    return this.request.initialValues ?? {};
  }

  submit(input?: FormValues, by?: Principal): void {
    this.answer(submit(input, by));
  }

  approve(consenting?: Consenting): void {
    this.answer(approve(consenting));
  }

  deny(reason?: string, by?: Principal): void {
    this.answer(deny(reason, by));
  }

  cancel(reason?: string, by?: Principal): void {
    this.answer(cancel(reason, by));
  }

  /** Returns the errors that a server would report for an answer, by field id or member; undefined if it is valid. */
  check(answer: Answer): FieldErrors | undefined {
    return (
      checkAnswer(this.request, answer, matches) ??
      checkAnnotations(this.request, answer) ??
      checkAttachments(this.request, answer)
    );
  }

  /** @throws Error if a server would refuse the answer: a person who may not answer, an invalid value, or a settled prompt */
  answer({ by = this.#handlers.person, comments, ...given }: SaidBy): void {
    const answer = comments ? { ...given, annotations: annotate(this.request.subject, comments) } : given;
    const name = JSON.stringify(this.title ?? this.prompt ?? this.request.interactionId);
    const refuse = (words: string) => new Error(`The prompt ${name}: ${words}`);
    const who = by.name ?? by.id;
    if (this.state !== 'open' && this.state !== 'pending') throw refuse(`it is ${this.state} already.`);
    if (!mayAnswer(by, this.request, answer.approvalScope)) throw refuse(`${who} (${by.role}) may not answer this.`);
    if (answer.editedArgs !== undefined && !mayEdit(by, this.request))
      throw refuse(`${who} may not edit what they asked for themselves.`);
    const faults = Object.entries(this.check(answer) ?? {});
    if (faults.length > 0) throw refuse(faults.map(([name, fault]) => `${name}: ${fault}`).join(' '));
    if (!needsSeveral(this.request)) this.state = 'answered'; // at once, not only when it is stored
    this.#handlers.answer(this, answer, by);
  }

  /**
   * Says something under the prompt, which answers nothing (REV4): the tool gets it by `onComment`, and `play.reply()` is what it
   * replies.
   * @throws Error if a server would refuse it: a viewer, a blank text, or a settled prompt; or if the question has no `onComment`
   */
  comment(text: string, by = this.#handlers.person): void {
    const refuse = (words: string) => new Error(`The comment ${JSON.stringify(text)}: ${words}`);
    if (this.state === 'answered' || this.state === 'closed') throw refuse(`the prompt is ${this.state} already.`);
    if (!includesRole(by.role, 'responder')) throw refuse(`${by.name ?? by.id} (${by.role}) may not comment.`);
    if (!hasVisible(text)) throw refuse('it has nothing to read.');
    if (this.request.commentsTo !== 'tool') throw refuse('the question has no "onComment", so nobody would reply.');
    this.#handlers.comment(this, text, by);
  }

  /** Lets the deadline pass. A pending prompt is closed. @throws Error if it has no deadline */
  expire(): void {
    if (this.expiresAt === undefined) throw new Error('The prompt has no deadline: it never expires.');
    this.state = this.state === 'pending' ? 'closed' : 'expired';
    this.#handlers.expire(this);
  }
}

function matches(pattern: string, value: string): boolean {
  return new RegExp(anchorPattern(pattern), 'u').test(value);
}
