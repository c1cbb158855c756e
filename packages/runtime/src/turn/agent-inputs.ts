import type { InteractionHooks, OpenCall, ResponseId, Turn, TurnInput } from '@parleyhq/core';
import type { CallServices } from '../call/call-services.ts';
import { newId } from '../node/new-id.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { AgentRegistry } from '../tools/agent-registry.ts';
import type { TurnLog } from './turn-log.ts';

export interface AgentInputOptions {
  readonly agents: AgentRegistry;
  readonly calls: CallServices;
  readonly session: SessionWriter;
  readonly log: TurnLog;
}

/** What the agent of a turn works from. */
export class AgentInputs {
  readonly #options: AgentInputOptions;

  constructor(options: AgentInputOptions) {
    this.#options = options;
  }

  of(turn: Turn, responseId: ResponseId): TurnInput {
    const { agents, calls, session, log } = this.#options;
    return {
      sessionId: session.id,
      turnId: turn.turnId,
      responseId,
      model: agents.model,
      permissionMode: session.row.permissionMode,
      tools: calls.toolbox.registry.offers,
      startSeq: turn.seq,
      record: (messageId) => log.readRecord(messageId, 'message'),
      read: (afterSeq) => log.read(afterSeq),
    };
  }

  /** Returns how the agent that made a call replies to comments; undefined if it cannot, or a program or sub-agent made the call. */
  replier(turn: Turn, call: OpenCall, signal: AbortSignal): InteractionHooks['onComment'] {
    const agent = call.by || call.parentToolCallId !== undefined ? undefined : this.#options.agents.find(turn.agent);
    if (!agent?.reply) return undefined;
    return async (comment) => {
      const input = this.of(turn, call.responseId ?? newId());
      const reply = await agent.reply?.(input, comment, signal);
      return reply === undefined ? undefined : { reply };
    };
  }
}
