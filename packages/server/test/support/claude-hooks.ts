import { randomUUID } from 'node:crypto';
import type { ChatEvent, InteractionRequest, Session } from '@parleyhq/core';
import { createToken } from './command.ts';
import type { ServerProcess } from './server-process.ts';
import type { Tab } from './tab.ts';

export interface HookReply {
  readonly status: number;
  readonly body: unknown;
}

const command = { tool_name: 'Bash', tool_input: { command: 'npm test' } };

/** A session of Claude Code, as seen through its hooks. */
export class ClaudeHooks {
  readonly sessionId: string;
  /** Additional headers of its hooks. */
  headers: Record<string, string> = {};
  readonly #url: string;
  readonly #token: string | undefined;

  constructor(url: string, token: string | undefined, sessionId: string = randomUUID()) {
    this.sessionId = sessionId;
    this.#url = `${url}/hooks/claude`;
    this.#token = token;
  }

  /** Members of all its hooks. */
  get common() {
    return { session_id: this.sessionId, cwd: '/projects/shop', permission_mode: 'default' };
  }

  /** Creates a session with an asker's token of its own. */
  static async at(server: ServerProcess): Promise<ClaudeHooks> {
    const { token } = await createToken(server.dataDir, '--role', 'asker', '--name', `claude ${randomUUID()}`);
    return new ClaudeHooks(server.httpUrl, token);
  }

  /** Creates another session with the same token. */
  another(): ClaudeHooks {
    return new ClaudeHooks(this.#url.replace('/hooks/claude', ''), this.#token);
  }

  /** Returns the same session, whose hooks reach a server at another address. */
  through(url: string): ClaudeHooks {
    return new ClaudeHooks(url, this.#token, this.sessionId);
  }

  async post(body: unknown, options: { signal?: AbortSignal; type?: string } = {}): Promise<HookReply> {
    const { signal, type = 'application/json' } = options;
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        ...this.headers,
        'content-type': type,
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
    return { status: response.status, body: await response.json() };
  }

  hook(name: string, part: object = {}, signal?: AbortSignal): Promise<HookReply> {
    return this.post({ ...this.common, hook_event_name: name, ...part }, { ...(signal && { signal }) });
  }

  /** Requests permission for a call. */
  ask(part: object = {}, signal?: AbortSignal): Promise<HookReply> {
    return this.hook('PermissionRequest', { ...command, ...part }, signal);
  }

  /** Announces a call. */
  announce(id: string, part: object = {}): Promise<HookReply> {
    return this.hook('PreToolUse', { ...command, ...part, tool_use_id: id });
  }

  /** Reports that the call was made. */
  finish(id: string, name = 'PostToolUse'): Promise<HookReply> {
    return this.hook(name, { ...command, tool_use_id: id, tool_response: 'ok' });
  }

  /** Waits for what a tab is asked on its behalf. @returns its session, and the first prompt that a test accepts */
  async prompt(tab: Tab, accepts: (prompt: InteractionRequest) => boolean = () => true) {
    const session = await this.session(tab);
    const { payload } = await tab.event(session.id, 'interaction_request', ({ payload }) => accepts(payload));
    return { session, prompt: payload };
  }

  /** Waits until a tab knows its session, and lets the tab follow it. */
  async session(tab: Tab): Promise<Session> {
    const name = `claude:${this.sessionId}`;
    const known = (sessions: readonly Session[]) => sessions.find(({ channel }) => channel?.name === name);
    const { sessions } = await tab.ask<{ sessions: Session[] }>({ type: 'list_sessions' });
    let session = known(sessions);
    if (!session) {
      const isIts = (each: Session) => known([each]) !== undefined;
      const frame = await tab.until((frame) => frame.type === 'session_created' && isIts(frame.session));
      session = (frame as Extract<typeof frame, { type: 'session_created' }>).session;
    }
    await tab.follow(session.id, { tail: 100 });
    return session;
  }
}

/** Reply that allows the call as shown. */
export const allowed = { status: 200, body: decision({ behavior: 'allow', updatedInput: command.tool_input }) };
export const undecided = { status: 200, body: {} };

export function denied(message: string) {
  return { status: 200, body: decision({ behavior: 'deny', message }) };
}

export function decision(decision: object) {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}

/** Waits until a prompt is withdrawn. @returns the event */
export async function withdrawal(
  tab: Tab,
  { session, prompt }: { session: Session; prompt: InteractionRequest },
): Promise<ChatEvent<'interaction_closed'>['payload']> {
  const isOf = ({ payload }: ChatEvent<'interaction_closed'>) => payload.interactionId === prompt.interactionId;
  return (await tab.event(session.id, 'interaction_closed', isOf)).payload;
}
