import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTab, type PersonTab, startParley } from '@parleyhq/client/process';
import type { EventType, Payload } from '@parleyhq/core';
import { TestServer, type TestServerOptions, useInTest } from '@parleyhq/server/testing';
import { onTestFinished } from 'vitest';
import { makeAcpPlugin } from '../src/index.ts';

const script = fileURLToPath(new URL('fake-agent.mjs', import.meta.url));

export interface StageOptions {
  /** The `capabilities` and `modes` of the fake agent. */
  readonly fake?: object;
  /** Added to the entry of the agent. */
  readonly entry?: object;
  readonly liveMs?: number;
  readonly server?: TestServerOptions;
}

/** An empty folder, which is removed when the test has finished. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The entry of the fake agent, which keeps its sessions in this file. */
export function fakeEntry(file: string, { fake = {}, entry = {} }: Pick<StageOptions, 'fake' | 'entry'> = {}) {
  const env = { FAKE_ACP_STATE: file, FAKE_ACP: JSON.stringify(fake) };
  return { command: process.execPath, args: [script], env, ...entry };
}

/** Starts the command with the fake agent, as a process that can be killed. @returns also the file of the agent's sessions */
export async function startKillable() {
  const folder = makeFolder();
  const state = join(folder, 'state.json');
  const config = join(folder, 'parley.json');
  writeFileSync(config, JSON.stringify({ pluginConfigs: { acp: { agents: { fake: fakeEntry(state) } } } }));
  const server = await startParley({ args: ['--agent', 'fake', '--config', config] });
  onTestFinished(() => server.stop());
  return { server, state, tab: await server.tab() };
}

/** A server with the fake agent, and one person in one session. */
export class AcpStage {
  readonly tab: PersonTab;
  readonly server: TestServer;
  readonly #file: string;

  private constructor(tab: PersonTab, server: TestServer, file: string) {
    this.tab = tab;
    this.server = server;
    this.#file = file;
  }

  static async start(options: StageOptions = {}): Promise<AcpStage> {
    const file = join(makeFolder(), 'state.json');
    const plugin = makeAcpPlugin({ agents: { fake: fakeEntry(file, options) }, liveMs: options.liveMs });
    const { plugins = [], ...rest } = options.server ?? {};
    const server = await useInTest(new TestServer({ defaultAgent: 'fake', ...rest, plugins: [plugin, ...plugins] }));
    const tab = await openTab(server);
    onTestFinished(() => tab.close());
    return new AcpStage(tab, server, file);
  }

  /** Sends a script to the agent, and waits for the end of its turn. */
  async play(words: string) {
    const seq = await this.tab.say(words);
    return this.end(seq);
  }

  async end(after = 0) {
    return (await this.tab.event('turn_end', undefined, after)).payload;
  }

  /** What the agent has noted: the answers that it got. */
  get notes(): readonly string[] {
    return existsSync(this.#file) ? (JSON.parse(readFileSync(this.#file, 'utf8')).notes ?? []) : [];
  }

  get prompts(): readonly string[] {
    const { sessions } = JSON.parse(readFileSync(this.#file, 'utf8')) as {
      sessions: Record<string, { prompts: string[] }>;
    };
    return Object.values(sessions).flatMap(({ prompts }) => prompts);
  }

  payloads<Type extends EventType>(type: Type): Payload<Type>[] {
    return this.tab.events(type).map(({ payload }) => payload as Payload<Type>);
  }

  /** All text of the agent. */
  get texts(): string[] {
    return this.payloads('assistant_done').map((payload) => ('text' in payload ? String(payload.text) : ''));
  }
}
