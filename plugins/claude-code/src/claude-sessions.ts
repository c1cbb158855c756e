import { createHash } from 'node:crypto';
import { canonicalise, type Json } from '@parleyhq/core';

/** An agent of a session: `agent_id` names one that another agent started, and may run in the background. */
export interface AgentOf {
  readonly agent_id?: string | undefined;
}

/** What identifies a call, because Claude Code's permission request has no call id. In another folder or mode it is another. */
export interface ToolUse extends AgentOf {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, Json>>;
  readonly cwd: string;
  readonly permission_mode: string;
}

interface Announced extends AgentOf {
  readonly id: string;
  readonly digest: string;
}

export interface Waiting extends AgentOf {
  readonly id: string | undefined;
  /** The folder of what is asked, if it is not that of the first question of the session, which people see with the session. */
  readonly folder: string | undefined;
  readonly ended: AbortController;
}

/** A call that a person lets pass once, although the automatic mode refused it. */
interface Pass extends AgentOf {
  readonly digest: string;
  /** In ms since 1970. */
  readonly until: number;
}

interface Running {
  passes: readonly Pass[];
  /** Announced calls that no request was matched with yet, oldest first. */
  announced: readonly Announced[];
  readonly waiting: Set<Waiting>;
  /** The folder of the first question to people on behalf of the session; undefined if they were asked nothing. */
  folder: string | undefined;
  /** Agents whose end was reported: Claude Code may report it several times. */
  endedAgents: readonly string[];
}

/** Limits on what is kept of calls that never ask and of sessions that never report their end. */
const most = { announced: 100, passes: 100, endedAgents: 100, sessions: 1000 };

/** How long a call that was refused may be repeated, in ms. */
const passMs = 5 * 60_000;

/**
 * Sessions of Claude Code that ask or are about to; they connect the hooks that belong together (ASK7). Kept in memory only: what
 * was asked is in the log, and if this is lost, a call is withdrawn when its connection closes.
 */
export class ClaudeSessions {
  /** By session, least recently changed first. */
  readonly #sessions = new Map<string, Running>();

  /** `PreToolUse`: the session is about to make this call. */
  announce(session: string, id: string, use: ToolUse): void {
    const running = this.#running(session);
    running.announced = [...running.announced, { id, agent_id: use.agent_id, digest: digestOf(use) }].slice(
      -most.announced,
    );
    this.#keep(session, running);
  }

  /**
   * A hook waits for people. If it is about a call, it is matched with the first announced that is the same.
   */
  begin(session: string, asking: (AgentOf & Pick<ToolUse, 'cwd'>) | ToolUse): Waiting {
    const running = this.#running(session);
    const digest = 'tool_name' in asking && digestOf(asking);
    const announced = running.announced.find((each) => each.digest === digest);
    running.announced = running.announced.filter((each) => each !== announced);
    running.folder ??= asking.cwd;
    const folder = asking.cwd === running.folder ? undefined : asking.cwd;
    const waiting = { id: announced?.id, folder, agent_id: asking.agent_id, ended: new AbortController() };
    running.waiting.add(waiting);
    this.#keep(session, running);
    return waiting;
  }

  /** `PermissionDenied`: a person lets exactly this call pass once. */
  letPass(session: string, use: ToolUse): void {
    const running = this.#running(session);
    const pass = { agent_id: use.agent_id, digest: digestOf(use), until: Date.now() + passMs };
    running.passes = [...running.passes, pass].slice(-most.passes);
    this.#keep(session, running);
  }

  /** Whether a person let this call pass, which then counts no more. */
  takePass(session: string, use: ToolUse): boolean {
    const running = this.#sessions.get(session);
    if (!running || running.passes.length === 0) return false;
    const digest = digestOf(use);
    const valid = running.passes.filter(({ until }) => until >= Date.now());
    const taken = valid.find((pass) => pass.digest === digest);
    running.passes = valid.filter((pass) => pass !== taken);
    this.#keep(session, running);
    return taken !== undefined;
  }

  /** Whether people are being asked on behalf of the session. */
  isAsking(session: string): boolean {
    return (this.#sessions.get(session)?.waiting.size ?? 0) > 0;
  }

  /** Removes a request that was answered or whose connection closed. */
  leave(session: string, waiting: Waiting): void {
    const running = this.#sessions.get(session);
    if (!running) return;
    running.waiting.delete(waiting);
    this.#keep(session, running);
  }

  /** `PostToolUse`: the session has made this call, whoever allowed it. */
  finish(session: string, id: string, note: string): void {
    const running = this.#sessions.get(session);
    if (!running) return;
    running.announced = running.announced.filter((each) => each.id !== id);
    for (const waiting of running.waiting) if (waiting.id === id) waiting.ended.abort(note);
    this.#keep(session, running);
  }

  /** `Stop`, `SubagentStop`: ends the requests and passes of this agent. Other agents of its session may continue in the background. */
  stop(session: string, { agent_id }: AgentOf, note: string): void {
    const running = this.#sessions.get(session);
    if (!running) return;
    running.announced = running.announced.filter((each) => each.agent_id !== agent_id);
    running.passes = running.passes.filter((each) => each.agent_id !== agent_id);
    for (const waiting of running.waiting) if (waiting.agent_id === agent_id) waiting.ended.abort(note);
    this.#keep(session, running);
  }

  /** `SubagentStop`: whether the end of this agent is new, and people know its session. */
  isNews(session: string, { agent_id: agent = '' }: AgentOf): boolean {
    const running = this.#sessions.get(session);
    if (running?.folder === undefined || running.endedAgents.includes(agent)) return false;
    running.endedAgents = [...running.endedAgents, agent].slice(-most.endedAgents);
    return true;
  }

  /** `SessionEnd`: ends all requests of the session. */
  end(session: string, note: string): void {
    for (const { ended } of this.#sessions.get(session)?.waiting ?? []) ended.abort(note);
    this.#sessions.delete(session);
  }

  #running(session: string): Running {
    const none = { passes: [], announced: [], waiting: new Set<Waiting>(), folder: undefined, endedAgents: [] };
    return this.#sessions.get(session) ?? none;
  }

  #keep(session: string, running: Running): void {
    this.#sessions.delete(session);
    const { passes, announced, waiting: asking, folder } = running;
    if (folder === undefined && passes.length + announced.length + asking.size === 0) return;
    this.#sessions.set(session, running);
    if (this.#sessions.size <= most.sessions) return;
    for (const [oldest, { waiting }] of this.#sessions) {
      if (waiting.size > 0) continue; // waiting requests are limited elsewhere, as connections
      this.#sessions.delete(oldest);
      return;
    }
  }
}

function digestOf({ agent_id = '', tool_name, tool_input, cwd, permission_mode }: ToolUse): string {
  const parts = [agent_id, tool_name, tool_input, cwd, permission_mode];
  return createHash('sha256').update(canonicalise(parts)).digest('base64');
}
