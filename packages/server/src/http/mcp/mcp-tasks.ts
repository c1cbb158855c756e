import { type OutsideCall, RefusalError } from '@parleyhq/core';
import { abortAfter, toRefusal } from '@parleyhq/runtime';
import type { CallingClient } from '../../extensions/programs/call-request.ts';
import type { CallLife } from '../../extensions/programs/program-calls.ts';
import { type Programs, runForCaller } from '../../extensions/programs/run-for-caller.ts';
import { type McpAnswer, sayError, toText } from './mcp-answer.ts';
import { type McpCall, type McpRequest, type McpTools, takenBack } from './mcp-tools.ts';

/** Version of the protocol: 2025 has tasks in its core, 2026 as an extension with other methods and names. */
export type Era = '2025' | '2026';

export interface TaskCall {
  readonly era: Era;
  readonly call: McpCall;
  readonly request: McpRequest;
}

/** A client's request about tasks. */
export interface TaskRequest {
  readonly era: Era;
  readonly params: { readonly taskId?: string | undefined; readonly cursor?: string | undefined };
  readonly request: McpRequest;
}

/** Result of a method, in the shape that the protocol defines. */
type Reply = Record<string, unknown>;

type Method = (client: CallingClient, request: TaskRequest) => Promise<Reply>;

/** Poll interval for clients, in ms: an answer is known at every node within a second (ASK9). */
const pollMs = 1000;

/** In ms: a call that finishes within this time asked nobody, and does not become a task. */
const soonMs = 250;

const pageSize = 50;

/**
 * Tasks of MCP: calls that clients poll instead of waiting; implemented here because the SDK has no tasks (ASK6). A task is a
 * call of an external program and has the call's id, so it is found again after a restart of either side, as long as its session
 * exists.
 */
export class McpTasks {
  readonly #programs: Programs;
  readonly #tools: McpTools;

  constructor(programs: Programs, tools: McpTools) {
    this.#programs = programs;
    this.#tools = tools;
  }

  /** Methods of both eras; the SDK knows which belong to which. */
  readonly methods: Readonly<Record<string, Method>> = {
    'tasks/get': (client, request) => this.#get(client, request),
    'tasks/result': (client, request) => this.#result(client, request),
    'tasks/cancel': (client, request) => this.#cancel(client, request),
    'tasks/list': (client, request) => this.#list(client, request),
    'tasks/update': (client, request) => this.#update(client, request),
  };

  /**
   * Begins a call as a task. In 2025 the client decides that it is one, in 2026 the server.
   * @throws RefusalError in 2025, because a call cannot fail otherwise there
   */
  async begin(client: CallingClient, { era, call: asked, request }: TaskCall): Promise<Reply & McpAnswer> {
    const words = 'A person is being asked. The answer will be the result of this task.';
    const tools = this.#tools;
    try {
      return await tools.hold(client, request, async (gone) => {
        const { call, tool } = await tools.begin(client, asked);
        if (era === '2025') {
          const _meta = { 'io.modelcontextprotocol/model-immediate-response': words };
          return { task: await this.#show(era, call), ...toText(words), _meta };
        }
        const outcome = await abortAfter(soonMs, [gone], (until) =>
          runForCaller(this.#programs, client, call, { until }),
        );
        if (outcome) return { ...(await tools.say(call, outcome, tool)) };
        return { resultType: 'task', ...(await this.#show(era, call)), ...toText(words) };
      });
    } catch (error) {
      if (era === '2025') throw error;
      return { ...sayError(toRefusal(error)) };
    }
  }

  async #get(client: CallingClient, { era, params }: TaskRequest): Promise<Reply> {
    const call = await this.#find(client, params);
    const task = await this.#show(era, call);
    if (era === '2025' || task.status !== 'completed') return task;
    const outcome = await this.#programs.board.read(call, client.principal.id);
    return { ...task, result: { resultType: 'complete', ...(await this.#tools.say(call, outcome ?? {})) } };
  }

  /** `tasks/result` (2025): the result of the call, as soon as there is one. */
  async #result(client: CallingClient, { params, request }: TaskRequest): Promise<Reply> {
    const call = await this.#find(client, params);
    const outcome = await this.#tools.hold(client, request, (gone) =>
      runForCaller(this.#programs, client, call, { until: gone }),
    );
    if (!outcome)
      throw new RefusalError('retry_later', { message: 'The server is stopping. The task continues: ask again.' });
    return {
      ...(await this.#tools.say(call, outcome)),
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: call.toolCallId } },
    };
  }

  /** `tasks/cancel`: an ended task stays as it is; in 2025 this is an error, in 2026 its state shows it. */
  async #cancel(client: CallingClient, { era, params }: TaskRequest): Promise<Reply> {
    const { calls } = this.#programs;
    const call = await this.#find(client, params);
    const isOver = (await calls.readLife(call)).end !== undefined;
    const { withdrawn } = await calls.withdraw(client, { ...call, note: takenBack });
    if (era === '2026') return {};
    if (isOver || !withdrawn) throw new RefusalError('closed', { message: 'The task has already ended.' });
    return this.#show(era, call);
  }

  /** `tasks/list` (2025): the principal's tasks, newest first. */
  async #list({ principal }: CallingClient, { era, params }: TaskRequest): Promise<Reply> {
    const { calls } = this.#programs;
    const page = await calls.list(principal, { before: params.cursor, limit: pageSize });
    const lives = await Promise.all(page.map((call) => calls.readLife(call)));
    const tasks = lives.filter(({ begun }) => !begun.payload.isLive).map((life) => show(era, life));
    const last = page.length < pageSize ? undefined : page.at(-1)?.toolCallId;
    return { tasks, ...(last !== undefined && { nextCursor: last }) };
  }

  /** `tasks/update` (2026): answers to questions of a task to its client; unused, because Parley asks clients nothing. */
  async #update(client: CallingClient, { params }: TaskRequest): Promise<Reply> {
    await this.#find(client, params);
    return {};
  }

  #find({ principal }: CallingClient, { taskId = '' }: TaskRequest['params']): Promise<OutsideCall> {
    return this.#programs.calls.findLasting(principal, taskId); // excludes permissions, which end with their request
  }

  async #show(era: Era, call: OutsideCall): Promise<Reply> {
    return show(era, await this.#programs.calls.readLife(call));
  }
}

/** Describes a task. It has no time to live, because it is kept as long as its session. */
function show(era: Era, life: CallLife): Reply {
  const { begun, end } = life;
  const times = { createdAt: begun.timestamp, lastUpdatedAt: (end ?? begun).timestamp };
  const task = { taskId: begun.payload.toolCallId, ...stateOf(era, life), ...times };
  return era === '2026'
    ? { ...task, ttlMs: null, pollIntervalMs: pollMs }
    : { ...task, ttl: null, pollInterval: pollMs };
}

/** Returns the state of a task. In 2026 an error of a tool is a completed result. */
function stateOf(era: Era, { end }: CallLife): Reply {
  if (!end) return { status: 'working', statusMessage: 'Waiting for a person.' };
  const { error } = end.payload;
  if (error?.code === 'withdrawn') return { status: 'cancelled', statusMessage: error.message };
  if (error && era === '2025') return { status: 'failed', statusMessage: error.message };
  return { status: 'completed' };
}
