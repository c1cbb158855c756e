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
import { type ClientOptions, ParleyClient } from '../parley-client.ts';
import type { SessionClient } from '../session-client.ts';
import type { SessionState } from '../session-state.ts';
import { connectServer } from '../transports/server.ts';
import { waitUntil } from './wait-until.ts';

/** What an agent reads of a call. */
export type ToolOutcome =
  | { readonly result: Json; readonly error?: undefined }
  | { readonly error: CodedError; readonly result?: undefined };

/** Who a tab is of, and what it says of itself. */
export interface PersonOptions extends Pick<ClientOptions, 'token' | 'label' | 'isInteractive'> {
  /** How long a test waits here for what must come, in ms. Default: 30 000 */
  readonly patienceMs?: number;
  /** What may say why something does not come: the end of an error, such as what the server logged. */
  readonly explain?: () => string;
}

type Patience = Pick<PersonOptions, 'patienceMs' | 'explain'>;

/** The session that a tab begins. */
export interface SessionOptions {
  readonly title?: string;
  readonly agent?: string;
}

/** A person's tab in one session of a started server: calls tools by way of the demo agent, sees prompts and answers them (PLG5). */
export class PersonTab {
  /** Everything else that a client can do. */
  readonly client: ParleyClient;
  readonly session: SessionClient;
  readonly #patience: Patience;
  readonly #events: ChatEvent[] = [];
  readonly #seen = new Set<string>();
  readonly #told = new Set<string>();

  /** @param session - just opened: the tab keeps its events from the first */
  constructor(client: ParleyClient, session: SessionClient, patience: Patience = {}) {
    this.#patience = patience;
    this.client = client;
    this.session = session;
    session.onEvents((events) => this.#events.push(...events));
  }

  get sessionId(): string {
    return this.session.sessionId;
  }

  /** Says something to the agent. @returns the `seq` of the message */
  async say(text: string): Promise<number> {
    const messageId = await this.session.send(text);
    return (await this.event('user_message', ({ payload }) => payload.messageId === messageId)).seq;
  }

  /** Has the agent call a tool. @param args - as an agent gives them @returns the `seq` of the message that says so */
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

  /** Has the agent call a tool that asks nobody. @returns what that comes to */
  async run(toolName: string, args: object = {}): Promise<ToolOutcome> {
    const after = await this.call(toolName, args);
    return this.#tell((await this.event('tool_result', undefined, after)).payload);
  }

  /** The next open prompt of the session that was not asked for yet. */
  prompt(): Promise<InteractionRequest> {
    return this.until(() => {
      const { prompts } = this.session.state.head;
      const next = prompts.find(({ request, state }) => state === 'open' && !this.#seen.has(request.interactionId));
      if (next) this.#seen.add(next.request.interactionId);
      return next?.request;
    }, 'a prompt');
  }

  /** All prompts of the session so far, open or not, once there are this many. */
  prompts(count: number): Promise<readonly InteractionRequest[]> {
    return this.#wait(`${count} prompts`, () => {
      const requests = this.events('interaction_request').map(({ payload }) => payload);
      for (const { interactionId } of requests) this.#seen.add(interactionId);
      return requests.length >= count ? requests : undefined;
    });
  }

  /** Answers as a person does. @throws RefusalError what the server refuses */
  answer(prompt: InteractionRequest, answer: Answer): Promise<AnswerReply | undefined> {
    return this.session.respond(prompt, answer);
  }

  /** Fills in a form. @throws RefusalError what the server refuses */
  submit(prompt: InteractionRequest, input: FormValues = {}): Promise<AnswerReply | undefined> {
    return this.answer(prompt, { action: 'submit', input });
  }

  /** What the call of a prompt comes to, or the next call of the session. */
  async result(prompt?: InteractionRequest): Promise<ToolOutcome> {
    const isMeant = ({ payload: { toolCallId } }: ChatEvent<'tool_result'>) =>
      prompt ? toolCallId === prompt.toolCallId : !this.#told.has(toolCallId);
    return this.#tell((await this.event('tool_result', isMeant)).payload);
  }

  /** The session's events of a type, or of all, as far as they have come. */
  events<Type extends EventType = EventType>(type?: Type): readonly ChatEvent<Type>[] {
    return this.#events.filter((event): event is ChatEvent<Type> => type === undefined || event.type === type);
  }

  /** The first event of a type that fits. @param after - the `seq` of the event that it follows */
  event<Type extends EventType>(
    type: Type,
    accepts: (event: ChatEvent<Type>) => boolean = () => true,
    after = 0,
  ): Promise<ChatEvent<Type>> {
    return this.#wait(`an event ${type}`, () => this.events(type).find((event) => event.seq > after && accepts(event)));
  }

  /** Waits until the session has what is looked for, such as words that are being written. @param name - of that, for the error where it does not come */
  until<T>(find: (state: SessionState) => T | undefined, name = 'what was looked for'): Promise<T> {
    const { patienceMs, explain } = this.#patience;
    return waitUntil(this.session, name, () => find(this.session.state), patienceMs, explain);
  }

  /** Leaves, as a tab that is closed. */
  close(): void {
    this.client.stop();
  }

  #wait<T>(name: string, find: () => T | undefined): Promise<T> {
    const news = { subscribe: (listener: () => void) => this.session.onEvents(listener) };
    const { patienceMs, explain } = this.#patience;
    return waitUntil(news, name, find, patienceMs, explain);
  }

  #tell({ toolCallId, result = null, error }: Payload<'tool_result'>): ToolOutcome {
    this.#told.add(toolCallId);
    return error ? { error } : { result };
  }
}

/** A started server, wherever it runs; its address may be another after a restart. */
export interface Reachable {
  /** Such as `http://127.0.0.1:7420`. */
  readonly url: string;
}

/** A tab of a new session. It tries to connect until it is closed. */
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

/** A tab of a session that is there. @throws RefusalError `not_found` */
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
