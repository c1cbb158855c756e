import type { ToolError } from '../basics/error.ts';
import { anchorPattern, type Field, type FormValues } from '../form/field.ts';
import type { FieldErrors } from '../form/field-check.ts';
import type { GrantOffer } from '../plugin/approve.ts';
import type { InteractionHooks } from '../plugin/demand.ts';
import { type Answer, checkAnswer, completeAnswer, type InteractionAnswer } from '../prompt/answer.ts';
import type { InteractionSpec } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { needsSeveral } from '../prompt/quorum.ts';
import { mayAnswer, mayEdit, ownerOf, type Principal } from '../prompt/role.ts';
import { approve, type Consenting, cancel, deny, type SaidBy, submit } from './reaction.ts';

export type PromptState = 'open' | 'pending' | 'answered' | 'expired' | 'closed';

/** How an open prompt ended. */
export type Settlement =
  | { readonly kind: 'answered'; readonly answer: InteractionAnswer }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly error: ToolError }
  /** Its tool no longer needs an answer. */
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'closed' };

/** Parts of a prompt in addition to its request. */
export interface PromptParts {
  readonly request: InteractionRequest;
  /** The request as its author wrote it, with inherited members. */
  readonly spec: InteractionSpec;
  readonly offer: GrantOffer | undefined;
  readonly person: Principal;
  now(): number;
  /** Called when a pending prompt is answered. */
  onLate(prompt: Prompt, answer: InteractionAnswer): void;
  onAnswered(prompt: Prompt, answer: InteractionAnswer): void;
}

/** A prompt of a played tool, with the actions of a person. Answers are validated like a server's (INT6). */
export class Prompt {
  readonly request: InteractionRequest;
  readonly spec: InteractionSpec;
  readonly offer: GrantOffer | undefined;
  state: PromptState = 'open';
  /** Deadline in ms since 1970; undefined if there is none. */
  expiresAt: number | undefined;
  hooks: InteractionHooks = {};
  settlement: Settlement | undefined;
  /** The answer that counted, with secrets in the clear. */
  answered: InteractionAnswer | undefined;
  readonly #parts: PromptParts;
  readonly #votes = new Map<string, 'approve' | 'deny'>();
  #wake: ((settlement: Settlement) => void) | undefined;

  constructor(parts: PromptParts) {
    this.#parts = parts;
    this.request = parts.request;
    this.spec = parts.spec;
    this.offer = parts.offer;
    this.expiresAt = parts.request.expiresAt === undefined ? undefined : Date.parse(parts.request.expiresAt);
  }

  get title(): string | undefined {
    return this.request.title;
  }

  get prompt(): string | undefined {
    return this.request.prompt;
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
    return checkAnswer(this.request, answer, matches);
  }

  /** @throws Error if a server would refuse the answer: a person who may not answer, an invalid value, or a settled prompt */
  answer({ by: person = this.#parts.person, ...answer }: SaidBy): void {
    const refuse = (words: string) => new Error(`${this.#name}: ${words}`);
    if (this.state !== 'open' && this.state !== 'pending') throw refuse(`it is ${this.state} already.`);
    if (!mayAnswer(person, this.request, answer.approvalScope)) {
      throw refuse(`${person.name ?? person.id} (${person.role}) may not answer this.`);
    }
    if (answer.editedArgs !== undefined && !mayEdit(person, this.request)) {
      throw refuse(`${person.name ?? person.id} may not edit what they asked for themselves.`);
    }
    const faults = this.check(answer);
    if (faults)
      throw refuse(
        Object.entries(faults)
          .map(([name, fault]) => `${name}: ${fault}`)
          .join(' '),
      );
    const { id: principal, name, owner, role } = person;
    const device = { clientId: 'test', connectionId: 'test', transport: 'test' };
    const by = {
      ...device,
      principal,
      role,
      ...(name !== undefined && { name }),
      ...(owner !== undefined && { owner }),
    };
    const { interactionId } = this.request;
    const at = new Date(this.#parts.now()).toISOString();
    const said = { ...completeAnswer(this.request, answer), interactionId, by, at };
    if (!this.#decides(said, person)) return;
    const isLate = this.state === 'pending';
    this.state = 'answered';
    this.answered = said;
    if (isLate) this.#parts.onLate(this, said);
    else {
      this.#parts.onAnswered(this, said);
      this.#settle({ kind: 'answered', answer: said });
    }
  }

  /** Lets the deadline pass. A pending prompt is closed. */
  expire(): void {
    const wasPending = this.state === 'pending';
    this.state = wasPending ? 'closed' : 'expired';
    if (!wasPending) this.#settle({ kind: 'expired' });
  }

  /** Makes the request reject with this, as if a server's limit were reached (`too_many_prompts`). */
  fail(error: ToolError): void {
    this.state = 'closed';
    this.#settle({ kind: 'failed', error });
  }

  close(): void {
    this.state = 'closed';
    this.#settle({ kind: 'closed' });
  }

  /** Waits for its end. Only the last waiter is notified: an earlier one belongs to a crashed process. */
  wait(hooks: InteractionHooks, signal?: AbortSignal): Promise<Settlement> {
    this.hooks = hooks;
    const { settlement } = this;
    if (settlement) return Promise.resolve(settlement);
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (signal?.aborted) this.#withdraw();
      else signal?.addEventListener('abort', () => this.#withdraw(), { once: true });
    });
  }

  #withdraw(): void {
    if (this.state !== 'open') return; // an answer came first
    this.state = 'closed';
    this.#settle({ kind: 'withdrawn' });
    void this.hooks.onCancel?.();
  }

  /** Whether this vote decides; if one answer is enough, each does (TEAM3). */
  #decides({ action }: InteractionAnswer, person: Principal): boolean {
    const { decide } = this.request;
    if (!decide || !needsSeveral(this.request) || (action !== 'approve' && action !== 'deny')) return true;
    this.#votes.set(ownerOf(person), action);
    const count = [...this.#votes.values()].filter((vote) => vote === action).length;
    const needed = action === 'approve' ? decide.approve : (decide.deny ?? 1);
    return count >= needed;
  }

  #settle(settlement: Settlement): void {
    this.settlement = settlement;
    this.#wake?.(settlement);
  }

  get #name(): string {
    const { title, prompt, interactionId } = this.request;
    return `The prompt ${JSON.stringify(title ?? prompt ?? interactionId)}`;
  }
}

export function matches(pattern: string, value: string): boolean {
  return new RegExp(anchorPattern(pattern), 'u').test(value);
}
