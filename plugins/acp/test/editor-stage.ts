import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ParleyProcess, PersonTab } from '@parleyhq/client/process';
import { onTestFinished } from 'vitest';
import {
  type Connection,
  connect,
  initialize,
  methods,
  type PermissionRequest,
  type PermissionResult,
} from '../src/sdk.ts';
import { makeFolder } from './acp-stage.ts';

const agentScript = fileURLToPath(new URL('fake-agent.mjs', import.meta.url));

/** A permission request in the editor. */
export interface Dialog {
  readonly request: PermissionRequest;
  /** Aborts when the dialog is taken back. */
  readonly signal: AbortSignal;
  answer(result: PermissionResult): void;
}

export interface EditorOptions {
  /** Arguments of `parley acp`; by default those that find the server. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the editor can show forms and addresses. */
  readonly showsForms?: boolean;
}

/** An editor that runs the fake agent behind `parley acp`, through the SDK of the protocol. */
export class Editor {
  readonly dialogs: Dialog[] = [];
  readonly texts: string[] = [];
  readonly child: ChildProcess;
  #stderr = '';
  readonly #connection: Connection;
  readonly #file = join(makeFolder(), 'state.json');
  #sessionId = '';

  private constructor(command: string, { flags = [], env = {} }: EditorOptions) {
    this.child = spawn(process.execPath, [command, 'acp', ...flags, '--', process.execPath, agentScript], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env, FAKE_ACP_STATE: this.#file },
    });
    this.child.stderr?.on('data', (chunk) => {
      this.#stderr += String(chunk);
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
    this.#connection = connect(this.child.stdin as never, this.child.stdout as never, {
      update: (_, { sessionUpdate, content }) => {
        if (sessionUpdate === 'agent_message_chunk') this.texts.push(String((content as { text?: string }).text));
      },
      permission: (request, signal) =>
        new Promise((answer) => {
          this.dialogs.push({ request, signal, answer });
        }),
      elicitation: async () => ({ action: 'cancel' }),
    });
  }

  static async open(
    server: Pick<ParleyProcess, 'command' | 'url' | 'dataDir'>,
    options: EditorOptions = {},
  ): Promise<Editor> {
    const flags = options.flags ?? ['--port', new URL(server.url).port, '--data-dir', server.dataDir];
    const editor = new Editor(server.command, { ...options, flags });
    const { agent } = editor.#connection;
    if (options.showsForms === false)
      await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
    else await initialize(agent);
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: '/projects/shop', mcpServers: [] });
    editor.#sessionId = sessionId;
    return editor;
  }

  /** Sends a script to the agent. @returns the reason with which its turn stops */
  async prompt(text: string): Promise<string> {
    const prompt = [{ type: 'text' as const, text }];
    const result = await this.#connection.agent.request(methods.agent.session.prompt, {
      sessionId: this.#sessionId,
      prompt,
    });
    return (result as { stopReason: string }).stopReason;
  }

  cancel(): Promise<void> {
    return this.#connection.agent.notify(methods.agent.session.cancel, { sessionId: this.#sessionId });
  }

  /** What the agent has noted: the answers that it got. */
  get notes(): readonly string[] {
    return existsSync(this.#file) ? (JSON.parse(readFileSync(this.#file, 'utf8')).notes ?? []) : [];
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Ends the editor. @returns the exit code of the proxy */
  async close(): Promise<number | null> {
    const exited = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    this.child.stdin?.end();
    return exited;
  }
}

/** Waits for the next prompt of an agent in an editor, in the tab of a person. */
export async function openPrompt(server: ParleyProcess, tab: PersonTab): Promise<PersonTab> {
  const { client } = tab;
  const entry = await new Promise<{ sessionId: string }>((resolve) => {
    const look = () => {
      const [first] = client.state.inbox;
      if (first) resolve(first);
      return first !== undefined;
    };
    if (look()) return;
    const stop = client.subscribe(() => {
      if (look()) stop();
    });
  });
  return server.join(entry.sessionId);
}
