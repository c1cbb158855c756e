import type { Command, Grant, ToolCall } from '@parleyhq/core';
import { authorise, hidingOfCall } from '../call/authorise.ts';
import type { CallServices } from '../call/call-services.ts';
import type { PerformOptions } from '../session/perform-options.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { refuseTaken } from './agent-part.ts';
import type { TurnLog } from './turn-log.ts';

export interface NewCallsOptions {
  readonly services: CallServices;
  readonly session: SessionWriter;
  readonly log: TurnLog;
}

/** Stores new calls of a turn, each with what authorises it. */
export class NewCalls {
  readonly #options: NewCallsOptions;

  constructor(options: NewCallsOptions) {
    this.#options = options;
  }

  /** Authorises calls and stores them with the command from `toCommand`; repeats both if a grant was revoked meanwhile (APR4). */
  async store(
    written: readonly ToolCall[],
    toCommand: (calls: readonly ToolCall[]) => Command,
    { signal, ...options }: PerformOptions & { readonly signal: AbortSignal },
  ): Promise<readonly ToolCall[]> {
    let stored: readonly ToolCall[] = [];
    const prepare = async () => {
      const { calls, usedGrants } = await this.#authorise(written, signal);
      stored = calls;
      return { ...options, command: toCommand(calls), usedGrants };
    };
    await this.#options.session.persist(prepare, { signal });
    return stored;
  }

  /** Checks that the ids are new in the session; the writer knows only those of this turn. @throws ToolError */
  async requireNew(calls: readonly ToolCall[], isInner: boolean): Promise<void> {
    if (calls.length === 0) return;
    const taken = await this.#options.log.findCall(calls.map(({ toolCallId }) => toolCallId));
    if (taken !== undefined) throw refuseTaken(taken, isInner);
  }

  async #authorise(
    written: readonly ToolCall[],
    signal: AbortSignal,
  ): Promise<{ calls: ToolCall[]; usedGrants: Grant[] }> {
    const found = await Promise.all(
      written.map((call) => authorise(this.#options.services, this.#options.session, call, signal)),
    );
    const calls = written.map((call, n) => ({
      ...call,
      ...found[n]?.said,
      ...hidingOfCall(this.#options.services.toolbox, this.#options.session.head, call),
    }));
    return { calls, usedGrants: found.flatMap(({ grant }) => grant ?? []) };
  }
}
