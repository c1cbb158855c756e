import { createHash } from 'node:crypto';
import { canonicalise, type Json } from '@parleyhq/core';

/** An agent of a session: `agent_id` names one that another agent started, and may run in the background. */
export interface AgentOf {
  readonly agent_id?: string | undefined;
}

/** What one of its calls is: Claude Code's request for permission does not say which call it is for. */
export interface ToolUse extends AgentOf {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, Json>>;
}

interface Announced extends AgentOf {
  readonly id: string;
  readonly digest: string;
}

interface Waiting extends AgentOf {
  readonly id: string | undefined;
  readonly ended: AbortController;
}

interface Running {
  /** Calls that it is about to make and that no request was matched with, oldest first. */
  announced: readonly Announced[];
  readonly waiting: Set<Waiting>;
}

/** How much is kept of calls that never ask and of sessions that never say that they end. */
const most = { announced: 100, sessions: 1000 };

/**
 * The sessions of Claude Code that ask or are about to: by this its hooks find each other (ASK7). It is memory only; what was
 * asked is in the log, and without this a call is withdrawn when its connection closes.
 */
export class ClaudeSessions {
  /** By session, the longest unchanged first. */
  readonly #sessions = new Map<string, Running>();

  /** `PreToolUse`: it is about to make this call. */
  announce(session: string, id: string, use: ToolUse): void {
    const running = this.#running(session);
    running.announced = [...running.announced, { id, agent_id: use.agent_id, digest: digestOf(use) }].slice(
      -most.announced,
    );
    this.#keep(session, running);
  }

  /** `PermissionRequest`: a request waits for leave to make a call, the first of this agent, tool and input that was announced. */
  begin(session: string, use: ToolUse): Waiting {
    const running = this.#running(session);
    const digest = digestOf(use);
    const announced = running.announced.find((each) => each.digest === digest);
    running.announced = running.announced.filter((each) => each !== announced);
    const waiting = { id: announced?.id, agent_id: use.agent_id, ended: new AbortController() };
    running.waiting.add(waiting);
    this.#keep(session, running);
    return waiting;
  }

  /** The request is answered, or gone. */
  leave(session: string, waiting: Waiting): void {
    const running = this.#sessions.get(session);
    if (!running) return;
    running.waiting.delete(waiting);
    this.#keep(session, running);
  }

  /** `PostToolUse`: it has made this call, whoever allowed it. */
  finish(session: string, id: string, note: string): void {
    const running = this.#sessions.get(session);
    if (!running) return;
    running.announced = running.announced.filter((each) => each.id !== id);
    for (const waiting of running.waiting) if (waiting.id === id) waiting.ended.abort(note);
    this.#keep(session, running);
  }

  /** `Stop`, `SubagentStop`: nothing of this agent waits any more. Others of its session may go on in the background. */
  stop(session: string, { agent_id }: AgentOf, note: string): void {
    const running = this.#sessions.get(session);
    if (!running) return;
    running.announced = running.announced.filter((each) => each.agent_id !== agent_id);
    for (const waiting of running.waiting) if (waiting.agent_id === agent_id) waiting.ended.abort(note);
    this.#keep(session, running);
  }

  /** `SessionEnd`: nothing waits there any more. */
  end(session: string, note: string): void {
    for (const { ended } of this.#sessions.get(session)?.waiting ?? []) ended.abort(note);
    this.#sessions.delete(session);
  }

  #running(session: string): Running {
    return this.#sessions.get(session) ?? { announced: [], waiting: new Set() };
  }

  #keep(session: string, running: Running): void {
    this.#sessions.delete(session);
    if (running.announced.length === 0 && running.waiting.size === 0) return;
    this.#sessions.set(session, running);
    if (this.#sessions.size <= most.sessions) return;
    for (const [oldest, { waiting }] of this.#sessions) {
      if (waiting.size > 0) continue; // whoever waits is limited already, as a connection is
      this.#sessions.delete(oldest);
      return;
    }
  }
}

function digestOf({ agent_id = '', tool_name, tool_input }: ToolUse): string {
  return createHash('sha256')
    .update(canonicalise([agent_id, tool_name, tool_input]))
    .digest('base64');
}
