import { randomUUID } from 'node:crypto';
import { isRecord } from '@parleyhq/core';
import type { Asked } from '@parleyhq/door-kit';
import { AgentCall } from '../agent-call.ts';
import { type Message, readMessage, withId, writeError, writeNotification, writeResult } from './message.ts';

type Members = Readonly<Record<string, unknown>>;
type Line = Buffer | string;

/** A question of the agent, for people. */
export interface Question {
  readonly kind: 'permission' | 'elicitation';
  /** The agent's id of its session; empty if the question belongs to none. */
  readonly sessionId: string;
  readonly cwd: string | undefined;
  /** All that is known of the call that a permission is for. */
  readonly call: Members | undefined;
  readonly params: Members;
}

/** What happened in a session: its transcript shows it. */
export interface News {
  readonly sessionId: string;
  readonly cwd: string | undefined;
  readonly plan?: unknown;
  readonly call?: AgentCall;
}

/** The neighbours of the proxy. */
export interface Surroundings {
  toAgent(line: Line): void;
  toEditor(line: Line): void;
  ask(question: Question): Asked;
  tell(news: News): void;
}

interface Open {
  /** The agent's id of the request, and the editor's, as JSON. */
  readonly id: string;
  readonly shownAs: string;
  readonly kind: Question['kind'];
  readonly sessionId: string;
  /** The prompts of its session that were running when it was asked, and still are: it belongs to one of them. */
  readonly prompts: Set<string>;
  readonly asked: Asked;
  /** Whether the editor has it, and may answer. */
  isInEditor: boolean;
  /** Whether people may still answer it. */
  isWithPeople: boolean;
  /** The error with which the editor answered: it could not show the question. */
  failure?: Line;
}

interface Session {
  cwd: string | undefined;
  /** Whether the agent repeats what happened in it before. */
  isReplayed: boolean;
  /** The calls of the turn: in the next one, their ids may be those of others. */
  readonly calls: Map<string, AgentCall>;
}

/** A request of the editor, whose result is read. */
interface Begun {
  readonly method: string;
  readonly sessionId: unknown;
  readonly cwd: unknown;
}

/** JSON-RPC: the request was cancelled. */
const cancelled = -32_800;

const questions: Readonly<Record<string, Question['kind']>> = {
  'session/request_permission': 'permission',
  'elicitation/create': 'elicitation',
};

/** Results that say that nobody decided. */
const undecided = { permission: { outcome: { outcome: 'cancelled' } }, elicitation: { action: 'cancel' } } as const;

/**
 * Stands between an editor and an agent of the Agent Client Protocol (ACP2). Every line passes as it came, but for the agent's
 * questions: people are asked as well, the first answer counts, and the other side is taken back. Whatever fails here leaves the
 * question to the editor.
 */
export class EditorProxy {
  readonly #around: Surroundings;
  /** The open questions, by the editor's ids. */
  readonly #open = new Map<string, Open>();
  /** The editor's ids of questions that were answered elsewhere: what it still says about them counts for nothing. */
  readonly #settled = new Set<string>();
  readonly #begun = new Map<string, Begun>();
  readonly #sessions = new Map<string, Session>();
  /** Kinds of elicitation that people can be shown, and the editor cannot. */
  #added: readonly string[] = [];
  readonly #asksForms: boolean;

  /** @param asksForms - whether people can answer elicitations that the editor cannot show */
  constructor(around: Surroundings, asksForms: boolean) {
    this.#around = around;
    this.#asksForms = asksForms;
  }

  fromEditor(line: Line): void {
    const message = readMessage(line);
    if (message?.type === 'response') return void this.#takeAnswer(message, line);
    if (message?.type === 'request' && message.method === 'initialize')
      return void this.#initialize(message.params, line);
    if (message?.type === 'request') this.#noteRequest(message);
    this.#around.toAgent(line);
    if (message?.type === 'notification' && message.method === 'session/cancel')
      this.#stop(String(message.params.sessionId));
  }

  fromAgent(line: Line): void {
    const message = readMessage(line);
    const kind = message?.type === 'request' ? questions[message.method] : undefined;
    if (message?.type === 'request' && kind) return void this.#ask(message, kind, line);
    if (message?.type === 'response') this.#noteResult(message);
    if (message?.type === 'notification' && message.method === 'session/update') this.#noteUpdate(message.params);
    if (message?.type === 'notification' && message.method === '$/cancel_request') {
      const open = this.#find(JSON.stringify(message.params.requestId));
      if (open) return void this.#takeBack(open, line);
    }
    this.#around.toEditor(line);
  }

  /** Withdraws what is still asked, because one side has ended. */
  end(note: string): void {
    for (const { asked } of this.#open.values()) asked.withdraw(note);
    this.#open.clear();
  }

  /** Adds what people can answer to what the editor can show. */
  #initialize(params: Members, line: Line): void {
    const capabilities = isRecord(params.clientCapabilities) ? params.clientCapabilities : {};
    const shown = isRecord(capabilities.elicitation) ? capabilities.elicitation : {};
    if (this.#asksForms) this.#added = ['form', 'url'].filter((mode) => !isRecord(shown[mode]));
    if (this.#added.length === 0) return void this.#around.toAgent(line);
    const added = Object.fromEntries(this.#added.map((mode) => [mode, {}]));
    const clientCapabilities = { ...capabilities, elicitation: { ...shown, ...added } };
    const whole = JSON.parse(String(line)) as Record<string, unknown>;
    this.#around.toAgent(`${JSON.stringify({ ...whole, params: { ...params, clientCapabilities } })}\n`);
  }

  #noteRequest({ id, method, params: { sessionId, cwd } }: Message & { readonly type: 'request' }): void {
    this.#begun.set(id, { method, sessionId, cwd });
    if (method === 'session/load') this.#sessionOf(String(sessionId)).isReplayed = true;
  }

  #noteResult({ id, result }: Message & { readonly type: 'response' }): void {
    const begun = this.#begun.get(id);
    this.#begun.delete(id);
    const { sessionId = begun?.sessionId } = isRecord(result) ? result : {};
    if (!begun || typeof sessionId !== 'string') return;
    const session = this.#sessionOf(sessionId);
    if (typeof begun.cwd === 'string') session.cwd = begun.cwd;
    if (begun.method === 'session/load') session.isReplayed = false;
    if (begun.method !== 'session/prompt') return;
    for (const open of this.#open.values()) if (open.prompts.delete(id) && open.prompts.size === 0) this.#void(open);
    if (this.#promptsOf(sessionId).size === 0) session.calls.clear();
  }

  #noteUpdate({ sessionId: id, update }: Members): void {
    if (typeof id !== 'string' || !isRecord(update)) return;
    const { cwd, calls, isReplayed } = this.#sessionOf(id);
    if (isReplayed) return;
    if (update.sessionUpdate === 'plan') this.#around.tell({ sessionId: id, cwd, plan: update.entries });
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
    const wasOver = calls.get(String(update.toolCallId))?.isOver;
    const call = this.#noteCall(id, update);
    if (call?.isOver && !wasOver) this.#around.tell({ sessionId: id, cwd, call });
  }

  /** Takes in what the agent sent of a call; requests repeat only a part of it. */
  #noteCall(sessionId: string, members: unknown): AgentCall | undefined {
    if (!isRecord(members)) return undefined;
    const { calls } = this.#sessionOf(sessionId);
    const id = String(members.toolCallId);
    const known = calls.get(id);
    known?.merge(members);
    const call = known ?? new AgentCall(members);
    calls.set(id, call);
    return call;
  }

  #sessionOf(id: string): Session {
    const known = this.#sessions.get(id) ?? { cwd: undefined, isReplayed: false, calls: new Map<string, AgentCall>() };
    this.#sessions.set(id, known);
    return known;
  }

  /** The ids of the prompts that run in a session: an editor may send one while another runs. */
  #promptsOf(sessionId: string): Set<string> {
    const isIts = ([, begun]: [string, Begun]) => begun.method === 'session/prompt' && begun.sessionId === sessionId;
    return new Set([...this.#begun].filter(isIts).map(([id]) => id));
  }

  #find(id: string): Open | undefined {
    return [...this.#open.values()].find((open) => open.id === id);
  }

  #ask({ id, params }: Message & { readonly type: 'request' }, kind: Question['kind'], line: Line): void {
    const known = this.#find(id);
    if (known) this.#closeInEditor(this.#settle(known, 'The agent asks anew.'));
    const sessionId = typeof params.sessionId === 'string' ? params.sessionId : '';
    const call = kind === 'permission' ? this.#noteCall(sessionId, params.toolCall)?.members : undefined;
    const isInEditor = kind === 'permission' || !this.#added.includes(String(params.mode));
    // the editor may still answer an earlier question of this id
    const shownAs = this.#settled.has(id) ? JSON.stringify(randomUUID()) : id;
    if (isInEditor) this.#around.toEditor(withId(line, id, shownAs));
    const asked = this.#around.ask({ kind, sessionId, cwd: this.#sessionOf(sessionId).cwd, call, params });
    const prompts = this.#promptsOf(sessionId);
    const open: Open = { id, shownAs, kind, sessionId, prompts, asked, isInEditor, isWithPeople: true };
    this.#open.set(shownAs, open);
    void asked.answer.then((result) => this.#takeDecision(open, result));
  }

  /** People have decided, or will not. */
  #takeDecision(open: Open, result: object | undefined): void {
    const { id, shownAs, kind, isInEditor, failure } = open;
    if (this.#open.get(shownAs) !== open) return;
    open.isWithPeople = false;
    if (result === undefined && isInEditor) return; // the editor decides
    this.#open.delete(shownAs);
    this.#around.toAgent(
      result === undefined ? (failure ?? writeResult(id, undecided[kind])) : writeResult(id, result),
    );
    this.#closeInEditor(open);
  }

  #takeAnswer({ id, isError }: Message & { readonly type: 'response' }, line: Line): void {
    if (this.#settled.delete(id)) return;
    const open = this.#open.get(id) ?? this.#find(id);
    if (!open) return void this.#around.toAgent(line);
    if (!open.isInEditor || open.shownAs !== id) return; // it has answered this already
    const answer = withId(line, id, open.id);
    if (isError && open.isWithPeople) {
      open.failure = answer;
      open.isInEditor = false;
      return;
    }
    this.#settle(open, 'Answered in the editor');
    this.#around.toAgent(answer);
  }

  /** The agent takes a question back: it is answered at once, whatever the editor does. */
  #takeBack(open: Open, line: Line): void {
    this.#settle(open, 'The agent no longer waits.');
    this.#around.toAgent(writeError(open.id, cancelled, 'Request cancelled'));
    this.#closeInEditor(open, line);
  }

  /** Answers what a session still asks; the editor closes its dialogs by itself. */
  #stop(sessionId: string): void {
    for (const open of this.#open.values()) {
      if (open.sessionId !== sessionId) continue;
      this.#settle(open, 'The turn was stopped in the editor.');
      this.#around.toAgent(writeResult(open.id, undecided[open.kind]));
      if (open.isInEditor) this.#settled.add(open.shownAs);
    }
  }

  /** Answers a question that outlives its turn: some agents never end a turn whose questions stay open. */
  #void(open: Open): void {
    this.#settle(open, 'The turn is over.');
    this.#around.toAgent(writeResult(open.id, undecided[open.kind]));
    this.#closeInEditor(open);
  }

  #settle(open: Open, note: string): Open {
    this.#open.delete(open.shownAs);
    open.asked.withdraw(note);
    return open;
  }

  /** @param line - with which the agent has taken it back */
  #closeInEditor({ id, shownAs, isInEditor }: Open, line?: Line): void {
    if (!isInEditor) return;
    this.#settled.add(shownAs);
    const isAsIs = line !== undefined && id === shownAs;
    this.#around.toEditor(isAsIs ? line : writeNotification('$/cancel_request', { requestId: JSON.parse(shownAs) }));
  }
}
