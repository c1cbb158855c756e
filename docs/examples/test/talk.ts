import type { InteractionRequest, Json, Session } from '@parleyhq/core';
import { expect, onTestFinished } from 'vitest';
import type { ServerProcess } from '../../../packages/server/test/support/server-process.ts';
import type { Tab } from '../../../packages/server/test/support/tab.ts';

/** The path of an example for `--plugin`, relative to the repository's root. */
export const pathOf = (name: string) => `./docs/examples/${name}`;

export const submit = (input: Record<string, Json>) => ({ action: 'submit', input });

/** A new session, seen from one tab. */
export class Talk {
  readonly tab: Tab;
  readonly session: string;
  #seen = 0;

  private constructor(tab: Tab, session: string) {
    this.tab = tab;
    this.session = session;
  }

  /** Sends a message in a new session. */
  static async begin(server: ServerProcess, text: string, options: { agent?: string } = {}): Promise<Talk> {
    const tab = await server.open({ label: 'Laptop' });
    onTestFinished(() => tab.terminate());
    const { session } = await tab.ask<{ session: Session }>({ type: 'create_session', ...options });
    const talk = new Talk(tab, session.id);
    await tab.follow(session.id);
    await talk.say(text);
    return talk;
  }

  /** The same session from a new tab, after the server was restarted. */
  async goOn(server: ServerProcess): Promise<Talk> {
    const talk = new Talk(await server.open(), this.session);
    onTestFinished(() => talk.tab.terminate());
    await talk.tab.follow(this.session);
    return talk;
  }

  async say(text: string): Promise<void> {
    await this.tab.say(this.session, text);
  }

  /** The next prompt that this method has not returned yet. */
  async prompt(): Promise<InteractionRequest> {
    const event = await this.tab.event(this.session, 'interaction_request', undefined, this.#seen);
    this.#seen = event.seq;
    return event.payload;
  }

  /** Answers a prompt, by default the next one, and expects the answer to be accepted. */
  async answer(answer: object, prompt?: InteractionRequest): Promise<InteractionRequest> {
    const request = prompt ?? (await this.prompt());
    expect(await this.tab.answer(this.session, request, answer)).toMatchObject({ ok: true });
    return request;
  }

  /** The result or error of the n-th call. */
  async result(n = 1): Promise<unknown> {
    let seq = 0;
    for (let left = n; left > 1; left -= 1) seq = (await this.#resultAfter(seq)).seq;
    const { payload } = await this.#resultAfter(seq);
    return payload.error ?? payload.result;
  }

  #resultAfter(seq: number) {
    return this.tab.event(this.session, 'tool_result', undefined, seq);
  }
}
