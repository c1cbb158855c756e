import { type Answer, type CodedError, type InteractionRequest, type Json, RefusalError } from '@parleyhq/core';
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
  readonly #seen = new Set<string>();
  readonly #told = new Set<string>();

  constructor(client: ParleyClient, session: SessionClient) {
    this.client = client;
    this.session = session;
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
  async answer(prompt: InteractionRequest, answer: Answer): Promise<void> {
    await this.session.respond(prompt, answer);
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

  /** Leaves, as a tab that is closed. */
  close(): void {
    this.client.stop();
  }
}

/** A tab of a new session. */
export async function openTab(client: ParleyClient): Promise<PersonTab> {
  client.start();
  await waitUntil(client, 'a connection', () => client.state.welcome);
  const { id } = await client.createSession();
  return joinTab(client, id);
}

/** A tab of a session that is there. @throws RefusalError `not_found` */
export async function joinTab(client: ParleyClient, sessionId: string): Promise<PersonTab> {
  client.start();
  const session = client.open(sessionId);
  const { phase } = await waitUntil(session, 'the session', () => {
    const { state } = session;
    return state.phase === 'live' || state.phase === 'gone' ? state : undefined;
  });
  if (phase === 'gone') throw new RefusalError('not_found');
  return new PersonTab(client, session);
}
