import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParleyProcess, type PersonTab, type StartParleyOptions, startParley } from '@parleyhq/client/process';
import type { Answer, InteractionRequest } from '@parleyhq/core';
import { onTestFinished } from 'vitest';

/** The path of an example for `--plugin`, relative to the repository's root. */
export const pathOf = (name: string) => `./docs/examples/${name}`;

/** Writes a temporary file, which is removed with its folder when the process ends. @returns its path */
export function fileOf(text: string, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-example-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** Starts a server that is stopped at the end of the test. */
export async function startInTest(options?: StartParleyOptions): Promise<ParleyProcess> {
  const parley = await startParley(options);
  onTestFinished(() => parley.stop());
  return parley;
}

/** A new session, seen from one tab, whose calls and prompts are taken in order. */
export class Talk {
  readonly tab: PersonTab;
  #seen = 0;

  private constructor(tab: PersonTab) {
    this.tab = tab;
    onTestFinished(() => tab.close());
  }

  /** Sends a message in a new session. */
  static async begin(parley: ParleyProcess, text: string, options: { agent?: string } = {}): Promise<Talk> {
    const talk = new Talk(await parley.tab(options));
    await talk.say(text);
    return talk;
  }

  /** Opens the same session in a new tab, after the server was restarted. */
  async goOn(parley: ParleyProcess): Promise<Talk> {
    return new Talk(await parley.join(this.tab.session.sessionId));
  }

  async say(text: string): Promise<void> {
    await this.tab.session.send(text);
  }

  /** Resolves with the next prompt that this method has not returned yet. */
  async prompt(): Promise<InteractionRequest> {
    const event = await this.tab.event('interaction_request', undefined, this.#seen);
    this.#seen = event.seq;
    return event.payload;
  }

  /** Answers a prompt, by default the next one. @throws RefusalError if the answer is not accepted */
  async answer(answer: Answer, prompt?: InteractionRequest): Promise<InteractionRequest> {
    const request = prompt ?? (await this.prompt());
    await this.tab.answer(request, answer);
    return request;
  }

  /** Resolves with the result or error of the n-th call. */
  async result(n = 1): Promise<unknown> {
    let seq = 0;
    for (let left = n; left > 1; left -= 1) seq = (await this.tab.event('tool_result', undefined, seq)).seq;
    const { payload } = await this.tab.event('tool_result', undefined, seq);
    return payload.error ?? payload.result;
  }
}
