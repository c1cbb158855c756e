import { ToolError } from '@parleyhq/core';
import { Deferred } from './deferred.ts';
import type {
  ElicitationRequest,
  ElicitationResult,
  PermissionOption,
  PermissionRequest,
  PermissionResult,
} from './sdk.ts';

/** A request of the agent that a person answers. It is answered exactly once; what comes later does not count. */
abstract class Open<Answer> {
  readonly #answer = new Deferred<Answer>();
  readonly #ended = new AbortController();

  get answered(): Promise<Answer> {
    return this.#answer.promise;
  }

  /** Aborts when the agent no longer waits for the answer; the reason is for people. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  answer(answer: Answer): void {
    this.#answer.resolve(answer);
  }

  /** Withdraws the question. @param why - for people */
  withdraw(why = new ToolError('withdrawn', 'The agent no longer waits for the answer.')): void {
    this.cancel();
    this.#ended.abort(why);
  }

  /** Answers that nobody decided. */
  abstract cancel(): void;
  /** Answers with a person's no. */
  abstract refuse(): void;
}

export class Permission extends Open<PermissionResult> {
  readonly type = 'permission';
  readonly options: readonly PermissionOption[];

  constructor({ options }: Pick<PermissionRequest, 'options'>) {
    super();
    this.options = options;
  }

  /** Answers with one of the offered options. */
  choose({ optionId }: PermissionOption): void {
    this.answer({ outcome: { outcome: 'selected', optionId } });
  }

  override cancel(): void {
    this.answer({ outcome: { outcome: 'cancelled' } });
  }

  override refuse(): void {
    const no = this.no;
    if (no) this.choose(no);
    else this.cancel();
  }

  /** The option that says no: once, or if only that is offered, for ever. */
  get no(): PermissionOption | undefined {
    const find = (wanted: string) => this.options.find(({ kind }) => kind === wanted);
    return find('reject_once') ?? find('reject_always');
  }
}

export class Elicitation extends Open<ElicitationResult> {
  readonly type = 'elicitation';
  readonly params: ElicitationRequest;

  constructor(params: ElicitationRequest) {
    super();
    this.params = params;
  }

  /** The question in the agent's words; agents may leave it out. */
  get message(): string {
    const { message } = this.params as { message?: unknown };
    return typeof message === 'string' ? message : '';
  }

  override cancel(): void {
    this.answer({ action: 'cancel' });
  }

  override refuse(): void {
    this.answer({ action: 'decline' });
  }
}

/** A call of one of Parley's tools, over MCP. */
export class OwnCall extends Open<OwnResult> {
  readonly type = 'own';
  readonly toolName: string;
  readonly args: unknown;

  constructor(toolName: string, args: unknown) {
    super();
    this.toolName = toolName;
    this.args = args;
  }

  override cancel(): void {
    this.answer({ text: 'The turn is over: nobody decided.', isError: true });
  }

  override refuse(): void {
    this.answer({ text: 'Parley did not let this call run.', isError: true });
  }
}

export interface OwnResult {
  readonly text: string;
  readonly isError: boolean;
}

export type Request = Permission | Elicitation | OwnCall;
