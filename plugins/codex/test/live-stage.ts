import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParleyProcess, PersonTab } from '@parleyhq/client/process';
import type { InboxEntry, InteractionRequest } from '@parleyhq/core';
import { onTestFinished } from 'vitest';

/** An empty folder. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'parley-test-'));
}

/** An empty folder, which is removed when the test has finished. */
export function useFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** `parley connect codex --live`, as a process. */
export class Attachment {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  readonly #watchers = new Set<() => void>();
  stderr = '';

  /** @param words - arguments after `--live` @param env - variables in addition to the test's own */
  constructor({ command }: Pick<ParleyProcess, 'command'>, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(process.execPath, [command, 'connect', 'codex', '--live', ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.stderr += String(chunk);
      for (const watcher of this.#watchers) watcher();
    });
    this.#exited = new Promise((resolve) => this.#child.once('close', resolve));
  }

  /** Waits until stderr has matched the words this often. */
  said(words: RegExp, times = 1): Promise<void> {
    const isSaid = () => (this.stderr.match(new RegExp(words, 'g')) ?? []).length >= times;
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!isSaid()) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
      void this.#exited.then((code) => reject(new Error(`It ended with ${code}: ${this.stderr}`)));
    });
  }

  /** Ends it. @returns its exit code */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#exited;
  }

  get exited(): Promise<number | null> {
    return this.#exited;
  }
}

/** A prompt of Codex, in the tab of a person. */
export interface Opened {
  readonly person: PersonTab;
  readonly prompt: InteractionRequest;
}

/** Waits for the prompt whose title in a person's inbox has these words. */
export async function openPrompt(server: ParleyProcess, { client }: PersonTab, words: string): Promise<Opened> {
  const { sessionId, interaction } = await new Promise<InboxEntry>((resolve) => {
    const look = () => {
      const found = client.state.inbox.find(({ interaction: { title } }) => title?.includes(words));
      if (found) resolve(found);
      return found !== undefined;
    };
    if (look()) return;
    const stop = client.subscribe(() => {
      if (look()) stop();
    });
  });
  const person = await server.join(sessionId);
  const isMeant = ({ interactionId }: InteractionRequest) => interactionId === interaction.interactionId;
  const prompt = await person.until(({ head }) => head.prompts.find(({ request }) => isMeant(request))?.request);
  return { person, prompt };
}
