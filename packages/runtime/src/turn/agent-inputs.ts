import {
  type CommentHook,
  countBytes,
  limits,
  type OpenCall,
  type ResponseId,
  type Turn,
  type TurnInput,
} from '@parleyhq/core';
import type { CallServices } from '../call/call-services.ts';
import { newId } from '../node/new-id.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { AgentRegistry } from '../tools/agent-registry.ts';
import { modeForAgent } from '../tools/step-up.ts';
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
    const mode = session.row.permissionMode;
    return {
      sessionId: session.id,
      turnId: turn.turnId,
      responseId,
      model: agents.model,
      permissionMode: modeForAgent(mode, calls.asking.stepUp, agents.find(turn.agent) ?? {}),
      tools: calls.toolbox.registry.offers,
      startSeq: turn.seq,
      record: (messageId) => log.readRecord(messageId, 'message'),
      read: (afterSeq) => log.read(afterSeq),
      openFile: (file) => calls.host.files.read(session.id, file),
    };
  }

  /** Returns how the agent that made a call replies to comments; undefined if it cannot, or a program or sub-agent made the call. */
  replier(turn: Turn, call: OpenCall, signal: AbortSignal): CommentHook | undefined {
    const agent = call.by || call.parentToolCallId !== undefined ? undefined : this.#options.agents.find(turn.agent);
    const reply = agent?.reply?.bind(agent);
    if (!reply) return undefined;
    return async (comment) => {
      const said = await reply(this.of(turn, call.responseId ?? newId()), comment, signal);
      return said === undefined ? undefined : { reply: cut(said) };
    };
  }
}

/** Cuts a text that a model wrote to the length of a comment. */
function cut(text: string): string {
  if (countBytes(text) <= limits.commentBytes) return text;
  const bytes = Buffer.from(text).subarray(0, limits.commentBytes - 3);
  return `${bytes.toString().replace(/\ufffd$/, '')}…`;
}
