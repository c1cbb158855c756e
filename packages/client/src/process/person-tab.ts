import {
  type Answer,
  type AnswerReply,
  type ChatEvent,
  type CodedError,
  type EventType,
  type InteractionRequest,
  type Json,
  RefusalError,
} from '@parleyhq/core';
import type { ParleyClient } from '../parley-client.ts';
import type { SessionClient } from '../session-client.ts';
import { waitUntil } from './wait-until.ts';

/** What an agent reads of a call. */
export type ToolOutcome =
  | { readonly result: Json; readonly error?: undefined }
  | { readonly error: CodedError; readonly result?: undefined };

/** A person's tab in one session of a started server: calls tools by way of the demo agent, sees prompts and answers them (PLG5). */
export class PersonTab {
  /** Everything else that a client can do. */
  readonly client: ParleyClient;
  readonly session: SessionClient;
  readonly #events: ChatEvent[] = [];
  readonly #seen = new Set<string>();
  readonly #told = new Set<string>();

  /** @param session - just opened: the tab keeps its events from the first */
  constructor(client: ParleyClient, session: SessionClient) {
    this.client = client;
    this.session = session;
    session.onEvents((events) => this.#events.push(...events));
  }

  /** Has the agent call a tool. @param args - as an agent gives them */
  async call(toolName: string, args: object = {}): Promise<void> {
    await this.session.send(`/call ${toolName} ${JSON.stringify(args)}`);
  }

  /** The next open prompt of the session that was not asked for yet. */
  prompt(): Promise<InteractionRequest> {
    return waitUntil(this.session, 'a prompt', () => {
      const { prompts } = this.session.state.head;
      const next = prompts.find(({ request, state }) => state === 'open' && !this.#seen.has(request.interactionId));
      if (next) this.#seen.add(next.request.interactionId);
      return next?.request;
    });
  }

  /** Answers as a person does. @throws RefusalError what the server refuses */
  answer(prompt: InteractionRequest, answer: Answer): Promise<AnswerReply | undefined> {
    return this.session.respond(prompt, answer);
  }

  /** What the next call of the session comes to. */
  result(): Promise<ToolOutcome> {
    return waitUntil(this.session, 'the result of a call', () => {
      for (const item of this.session.state.items.values()) {
        if (item.kind !== 'tool' || !item.result || this.#told.has(item.key)) continue;
        this.#told.add(item.key);
        const { result = null, error } = item.result.payload;
        return error ? { error } : { result };
      }
      return undefined;
    });
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
    const source = { subscribe: (listener: () => void) => this.session.onEvents(listener) };
    return waitUntil(source, `an event ${type}`, () =>
      this.events(type).find((event) => event.seq > after && accepts(event)),
    );
  }

  /** Leaves, as a tab that is closed. */
  close(): void {
    this.client.stop();
  }
}

/** A tab of a new session. */
export async function openTab(
  client: ParleyClient,
  options?: Parameters<ParleyClient['createSession']>[0],
): Promise<PersonTab> {
  client.start();
  await waitUntil(client, 'a connection', () => client.state.welcome);
  const { id } = await client.createSession(options);
  return joinTab(client, id);
}

/** A tab of a session that is there. @throws RefusalError `not_found` */
export async function joinTab(client: ParleyClient, sessionId: string): Promise<PersonTab> {
  client.start();
  const tab = new PersonTab(client, client.open(sessionId));
  const { phase } = await waitUntil(tab.session, 'the session', () => {
    const { state } = tab.session;
    return state.phase === 'live' || state.phase === 'gone' ? state : undefined;
  });
  if (phase === 'gone') throw new RefusalError('not_found');
  return tab;
}
