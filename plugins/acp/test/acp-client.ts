import {
  type ClientContext,
  client,
  methods,
  type PermissionOption,
  type PromptResponse,
  type Stream,
} from '@agentclientprotocol/sdk';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import { WebSocket } from '@parleyhq/server';
import { onTestFinished, vi } from 'vitest';

type Members = Readonly<Record<string, unknown>>;

/** A question in the editor: a permission request or an elicitation. */
export interface Question {
  readonly method: 'permission' | 'elicitation';
  readonly params: Members;
  /** Aborts when the question is taken back. */
  readonly signal: AbortSignal;
  answer(result: unknown): void;
  fail(error: Error): void;
}

export interface AcpClientOptions {
  readonly token?: string;
  readonly name?: string;
  /** Whether it can show forms and addresses. Default: true */
  readonly showsForms?: boolean;
}

/** An editor, through the SDK of the protocol. */
export class AcpClient {
  readonly questions: Question[] = [];
  readonly updates: Members[] = [];
  readonly agent: ClientContext;
  readonly closed: Promise<void>;
  readonly #close: () => void;

  private constructor(stream: Stream, name: string) {
    const ask = (method: Question['method']) => (context: { readonly params: object; readonly signal: AbortSignal }) =>
      new Promise<never>((resolve, reject) => {
        const { params, signal } = context;
        const answer = (result: unknown) => resolve(result as never);
        this.questions.push({ method, params: params as Members, signal, answer, fail: reject });
      });
    const connection = client({ name })
      .onNotification(methods.client.session.update, ({ params }) => void this.updates.push(params.update))
      .onRequest(methods.client.session.requestPermission, ask('permission'))
      .onRequest(methods.client.elicitation.create, ask('elicitation'))
      .connect(stream);
    this.agent = connection.agent;
    this.closed = connection.closed.catch(() => undefined);
    this.#close = () => connection.close();
  }

  /** Connects to a server over WebSocket. */
  static open(server: { readonly url: string }, options: AcpClientOptions = {}): Promise<AcpClient> {
    const { token } = options;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const url = `${server.url.replace('http', 'ws')}/acp`;
    return AcpClient.over(createWebSocketStream(url, { WebSocket: WebSocket as never, headers }), options);
  }

  /** Begins the protocol over any connection. */
  static async over(stream: Stream, { name = 'editor', showsForms = true }: AcpClientOptions = {}): Promise<AcpClient> {
    const editor = new AcpClient(stream, name);
    onTestFinished(() => editor.close());
    await editor.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientInfo: { name, version: '1' },
      clientCapabilities: showsForms ? { elicitation: { form: {}, url: {} } } : {},
    });
    return editor;
  }

  async create(): Promise<string> {
    const session = await this.agent.request(methods.agent.session.new, { cwd: '/projects/shop', mcpServers: [] });
    return session.sessionId;
  }

  load(sessionId: string) {
    return this.agent.request(methods.agent.session.load, { sessionId, cwd: '/projects/shop', mcpServers: [] });
  }

  /** @returns why the turn stopped */
  async prompt(sessionId: string, text: string, cancellationSignal?: AbortSignal): Promise<string> {
    const prompt = [{ type: 'text' as const, text }];
    const options = cancellationSignal && { cancellationSignal };
    const result = await this.agent.request(methods.agent.session.prompt, { sessionId, prompt }, options);
    return (result as PromptResponse).stopReason;
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Waits for the question with this number, counted from 0. */
  question(index: number): Promise<Question> {
    return vi.waitFor(() => {
      const question = this.questions[index];
      if (!question) throw new Error(`there are ${this.questions.length} questions`);
      return question;
    }, patience);
  }

  /** The text of all updates of a sort. */
  text(sort: string): string {
    const contents = this.updates.filter(({ sessionUpdate }) => sessionUpdate === sort).map(({ content }) => content);
    return contents.map((content) => (content as { readonly text?: string } | undefined)?.text ?? '').join('');
  }

  close(): void {
    this.#close();
  }
}

export const patience = { timeout: 20_000, interval: 10 };

/** The result that chooses an option. */
export function choose(optionId: string) {
  return { outcome: { outcome: 'selected', optionId } };
}

/** The offered options, as their ids and kinds. */
export function optionsOf({ params }: Question): readonly string[] {
  return (params.options as PermissionOption[]).map(({ optionId, kind }) => `${optionId} ${kind}`);
}

/** Waits until a question is taken back. */
export function takenBack({ signal }: Question): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve);
  });
}
