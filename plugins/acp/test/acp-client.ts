import { type ClientContext, client, methods, type RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import { WebSocket } from '@parleyhq/server';
import { onTestFinished, vi } from 'vitest';

type Update = Readonly<Record<string, unknown>> & { readonly sessionUpdate: string };

/** A question in the editor: a permission request or an elicitation. */
export interface Question {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Aborts when the question is taken back. */
  readonly signal: AbortSignal;
  answer(result: unknown): void;
  fail(error: Error): void;
}

export interface AcpClientOptions {
  readonly token?: string;
  readonly name?: string;
  /** Whether it can show forms and addresses. */
  readonly showsForms?: boolean;
}

/** An editor at `/acp`, through the SDK of the protocol. */
export class AcpClient {
  readonly questions: Question[] = [];
  readonly updates: Update[] = [];
  readonly agent: ClientContext;
  readonly #close: () => void;

  private constructor(agent: ClientContext, close: () => void) {
    this.agent = agent;
    this.#close = close;
  }

  static async open(server: { readonly url: string }, options: AcpClientOptions = {}): Promise<AcpClient> {
    const { token, name = 'editor', showsForms = true } = options;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const stream = createWebSocketStream(`${server.url.replace('http', 'ws')}/acp`, { WebSocket, headers } as never);
    let self: AcpClient | undefined;
    const ask = (method: string) => (context: { params: unknown; signal: AbortSignal }) =>
      new Promise<never>((resolve, reject) => {
        const { params, signal } = context as { params: Question['params']; signal: AbortSignal };
        self?.questions.push({ method, params, signal, answer: (result) => resolve(result as never), fail: reject });
      });
    const connection = client({ name })
      .onNotification(methods.client.session.update, ({ params }) => void self?.updates.push(params.update as Update))
      .onRequest(methods.client.session.requestPermission, ask('permission'))
      .onRequest(methods.client.elicitation.create, ask('elicitation'))
      .connect(stream);
    self = new AcpClient(connection.agent, () => connection.close());
    onTestFinished(() => self?.close());
    await self.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientInfo: { name, version: '1' },
      clientCapabilities: showsForms ? { elicitation: { form: {}, url: {} } } : {},
    });
    return self;
  }

  async create(): Promise<string> {
    const session = await this.agent.request(methods.agent.session.new, { cwd: '/projects/shop', mcpServers: [] });
    return session.sessionId;
  }

  load(sessionId: string) {
    return this.agent.request(methods.agent.session.load, { sessionId, cwd: '/projects/shop', mcpServers: [] });
  }

  /** @returns why the turn stopped */
  async prompt(sessionId: string, text: string): Promise<string> {
    const prompt = [{ type: 'text' as const, text }];
    return (await this.agent.request(methods.agent.session.prompt, { sessionId, prompt })).stopReason;
  }

  /** Waits for the question with this number, counted from 0. */
  async question(index = this.questions.length): Promise<Question> {
    return vi.waitFor(() => {
      const question = this.questions[index];
      if (!question) throw new Error(`there are ${this.questions.length} questions`);
      return question;
    }, waiting);
  }

  /** The text of all updates of a sort. */
  text(sort: string): string {
    return this.updates
      .filter(({ sessionUpdate }) => sessionUpdate === sort)
      .map(({ content }) => (content as { text?: string })?.text ?? '')
      .join('');
  }

  close(): void {
    this.#close();
  }
}

const waiting = { timeout: 20_000, interval: 10 };

export function chosen(optionId: string) {
  return { outcome: { outcome: 'selected', optionId } };
}

export function optionsOf({ params }: Question): RequestPermissionRequest['options'] {
  return (params as RequestPermissionRequest).options;
}
