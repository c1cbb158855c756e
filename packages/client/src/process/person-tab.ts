import {
  type Answer,
  type AnswerReply,
  type ChatEvent,
  type CodedError,
  type EventType,
  type FormValues,
  type InteractionRequest,
  type Json,
  type Payload,
  RefusalError,
} from '@parleyhq/core';
import type { ClientOptions } from '../client-options.ts';
import { ParleyClient } from '../parley-client.ts';
import type { SessionClient } from '../session-client.ts';
import type { SessionState } from '../session-state.ts';
import { connectServer } from '../transports/server.ts';
import { waitUntil } from './wait-until.ts';

/** The outcome of a call, as an agent reads it. */
export type ToolOutcome =
  | { readonly result: Json; readonly error?: undefined }
  | { readonly error: CodedError; readonly result?: undefined };

/** The person of a tab, and how long tests wait in it. */
export interface PersonOptions extends Pick<ClientOptions, 'token' | 'label' | 'isInteractive'> {
  /** How long a test waits for an expected event or state, in ms. Default: 30 000 */
  readonly patienceMs?: number;
  /** Returns text to append to a timeout error, such as the server's log. */
  readonly explain?: () => string;
}

type Patience = Pick<PersonOptions, 'patienceMs' | 'explain'>;

/** The session that a tab creates. */
export interface SessionOptions {
  readonly title?: string;
  readonly agent?: string;
}

/** A person's tab in a session of a running server: calls tools through the demo agent, sees prompts and answers them (PLG5). */
export class PersonTab {
  /** The client, for everything that this class does not cover. */
  readonly client: ParleyClient;
  readonly session: SessionClient;
  readonly #patience: Patience;
  readonly #events: ChatEvent[] = [];
  readonly #seen = new Set<string>();
  readonly #returned = new Set<string>();

  /** @param session - a session that was just opened, so that the tab gets all its events */
  constructor(client: ParleyClient, session: SessionClient, patience: Patience = {}) {
    this.#patience = patience;
    this.client = client;
    this.session = session;
    session.onEvents((events) => this.#events.push(...events));
  }

  get sessionId(): string {
    return this.session.sessionId;
  }

  /** Sends a message to the agent. @returns the `seq` of the message */
  async say(text: string): Promise<number> {
    const messageId = await this.session.send(text);
    return (await this.event('user_message', ({ payload }) => payload.messageId === messageId)).seq;
  }

  /** Has the agent call a tool. @param args - the tool's arguments @returns the `seq` of the message that requests the call */
  call(toolName: string, args: object = {}): Promise<number> {
    return this.say(`/call ${toolName} ${JSON.stringify(args)}`);
  }

  /** Has the agent call a tool. @returns its first prompt */
  async ask(toolName: string, args: object = {}): Promise<InteractionRequest> {
    const after = await this.call(toolName, args);
    const { payload } = await this.event('interaction_request', undefined, after);
    this.#seen.add(payload.interactionId);
    return payload;
  }

  /** Has the agent call a tool that asks nobody. @returns its outcome */
  async run(toolName: string, args: object = {}): Promise<ToolOutcome> {
    const after = await this.call(toolName, args);
    return this.#take((await this.event('tool_result', undefined, after)).payload);
  }

  /** Waits for the next open prompt that was not returned before. */
  prompt(): Promise<InteractionRequest> {
    return this.until(() => {
      const { prompts } = this.session.state.head;
      const next = prompts.find(({ request, state }) => state === 'open' && !this.#seen.has(request.interactionId));
      if (next) this.#seen.add(next.request.interactionId);
      return next?.request;
    }, 'a prompt');
  }

  /** Waits until the session has this many prompts. @returns all prompts so far, open or not */
  prompts(count: number): Promise<readonly InteractionRequest[]> {
    return this.#wait(`${count} prompts`, () => {
      const requests = this.events('interaction_request').map(({ payload }) => payload);
      for (const { interactionId } of requests) this.#seen.add(interactionId);
      return requests.length >= count ? requests : undefined;
    });
  }

  /** Answers a prompt. @throws RefusalError if the server refuses */
  answer(prompt: InteractionRequest, answer: Answer): Promise<AnswerReply | undefined> {
    return this.session.respond(prompt, answer);
  }

  /** Submits a form. @throws RefusalError if the server refuses */
  submit(prompt: InteractionRequest, input: FormValues = {}): Promise<AnswerReply | undefined> {
    return this.answer(prompt, { action: 'submit', input });
  }

  /** Waits for the outcome of a prompt's call, or of the next call of the session. */
  async result(prompt?: InteractionRequest): Promise<ToolOutcome> {
    const isMeant = ({ payload: { toolCallId } }: ChatEvent<'tool_result'>) =>
      prompt ? toolCallId === prompt.toolCallId : !this.#returned.has(toolCallId);
    return this.#take((await this.event('tool_result', isMeant)).payload);
  }

  /** The session's events so far, all or of one type. */
  events<Type extends EventType = EventType>(type?: Type): readonly ChatEvent<Type>[] {
    return this.#events.filter((event): event is ChatEvent<Type> => type === undefined || event.type === type);
  }

  /** Waits for the first event of a type that `accepts` accepts. @param after - only events after this `seq` count */
  event<Type extends EventType>(
    type: Type,
    accepts: (event: ChatEvent<Type>) => boolean = () => true,
    after = 0,
  ): Promise<ChatEvent<Type>> {
    return this.#wait(`an event ${type}`, () => this.events(type).find((event) => event.seq > after && accepts(event)));
  }

  /** Waits until `find` finds something in the session, such as streamed text. @param name - its name in the timeout error */
  until<T>(find: (state: SessionState) => T | undefined, name = 'what was looked for'): Promise<T> {
    const { patienceMs, explain } = this.#patience;
    return waitUntil(this.session, name, () => find(this.session.state), patienceMs, explain);
  }

  /** Closes the tab. */
  close(): void {
    this.client.stop();
  }

  #wait<T>(name: string, find: () => T | undefined): Promise<T> {
    const source = { subscribe: (listener: () => void) => this.session.onEvents(listener) };
    const { patienceMs, explain } = this.#patience;
    return waitUntil(source, name, find, patienceMs, explain);
  }

  #take({ toolCallId, result = null, error }: Payload<'tool_result'>): ToolOutcome {
    this.#returned.add(toolCallId);
    return error ? { error } : { result };
  }
}

/** A running server. Its address may change after a restart. */
export interface Reachable {
  /** Its address, such as `http://127.0.0.1:7420`. */
  readonly url: string;
}

/** Opens a tab with a new session. It tries to connect until it is closed. */
export async function openTab(
  server: Reachable,
  { title, agent, ...person }: PersonOptions & SessionOptions = {},
): Promise<PersonTab> {
  const client = connect(server, person);
  await waitUntil(client, 'a connection', () => client.state.welcome, person.patienceMs, person.explain);
  const session = { ...(title !== undefined && { title }), ...(agent !== undefined && { agent }) };
  const { id } = await client.createSession(session);
  return enter(client, id, person);
}

/** Opens a tab with an existing session. @throws RefusalError `not_found` */
export async function joinTab(server: Reachable, sessionId: string, person: PersonOptions = {}): Promise<PersonTab> {
  return enter(connect(server, person), sessionId, person);
}

function connect(server: Reachable, { patienceMs: _, explain: __, ...person }: PersonOptions): ParleyClient {
  const client = new ParleyClient({ ...person, transport: (handlers) => connectServer(server.url)(handlers) });
  client.start();
  return client;
}

async function enter(client: ParleyClient, sessionId: string, patience: Patience): Promise<PersonTab> {
  const tab = new PersonTab(client, client.open(sessionId), patience);
  const isThere = ['live', 'gone'];
  const { phase } = await tab.until((state) => (isThere.includes(state.phase) ? state : undefined), 'the session');
  if (phase === 'live') return tab;
  tab.close();
  throw new RefusalError('not_found');
}
