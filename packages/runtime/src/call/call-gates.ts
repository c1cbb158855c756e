import { type GatedCall, type GateVerdict, gateVerdicts, type Json, type Plugin, ToolError } from '@parleyhq/core';
import type { Logger } from 'pino';
import { limitTime } from '../node/limit-time.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { type GivenEffect, strictest } from '../tools/policy.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';

interface Gate {
  readonly plugin: string;
  readonly judge: NonNullable<Plugin['onToolCall']>;
}

/** The `onToolCall` functions by which plugins judge calls of all tools, in addition to the policies (APR3). */
export class CallGates {
  readonly #gates: readonly Gate[];
  readonly #log: Logger;
  readonly #limitMs: number;

  /** @param limitMs - time allowed to each function */
  constructor(plugins: readonly Plugin[], { log, limitMs }: { readonly log: Logger; readonly limitMs: number }) {
    this.#gates = plugins.flatMap((plugin) => {
      const judge = plugin.onToolCall?.bind(plugin);
      return judge ? [{ plugin: plugin.name, judge }] : [];
    });
    this.#log = log;
    this.#limitMs = limitMs;
  }

  /**
   * Returns the strictest verdict on a call with these arguments; undefined if there is none. A function that fails counts as
   * `ask`.
   */
  async judge(
    session: Pick<SessionWriter, 'id' | 'head'>,
    toolCallId: string,
    { tool, plugin }: RegisteredTool,
    args: Json,
  ): Promise<GivenEffect | undefined> {
    if (this.#gates.length === 0) return undefined;
    const { name: toolName, readOnly = false, source } = tool;
    const agent = session.head.turn?.agent;
    const call: GatedCall = {
      sessionId: session.id,
      toolCallId,
      toolName,
      plugin: plugin.name,
      args,
      readOnly,
      ...(source && { source }),
      ...(agent !== undefined && { agent }),
    };
    return strictest(await Promise.all(this.#gates.map((gate) => this.#ask(gate, call))));
  }

  /** Judges arguments that a person edited like those the model wrote. @throws ToolError `denied` */
  async requireLeave(
    session: Pick<SessionWriter, 'id' | 'head'>,
    toolCallId: string,
    registered: RegisteredTool,
    args: Json,
  ): Promise<void> {
    const gated = await this.judge(session, toolCallId, registered, args);
    if (gated?.effect === 'deny') throw new ToolError('denied', `The plugin "${gated.plugin}" denies these arguments.`);
  }

  async #ask({ plugin, judge }: Gate, call: GatedCall): Promise<GivenEffect | undefined> {
    const logged = { plugin, tool: call.toolName, toolCallId: call.toolCallId };
    try {
      const refuse = (ms: number) => new Error(`it did not decide within ${ms} ms`);
      // a copy, so that a plugin cannot change the arguments that run
      const verdict: unknown = await limitTime(this.#limitMs, () => judge(structuredClone(call)), refuse);
      if (isVerdict(verdict)) return verdict === 'pass' ? undefined : { effect: verdict, plugin };
      this.#log.warn(logged, `onToolCall must return one of ${gateVerdicts.join(', ')}: a person is asked`);
    } catch (error) {
      this.#log.warn({ ...logged, error }, 'onToolCall failed: a person is asked');
    }
    return { effect: 'ask', plugin };
  }
}

function isVerdict(value: unknown): value is GateVerdict {
  return gateVerdicts.includes(value as GateVerdict);
}
