import { type Asking, CodexObserver } from '../src/live/observer.ts';

export type Message = Readonly<Record<string, unknown>>;

export interface OnTable extends Asking {
  decide(answer: object | undefined): void;
  note?: string;
}

/** An observer between a scripted Codex and people who answer when the test lets them. */
export class Between {
  readonly sent: Message[] = [];
  readonly asked: OnTable[] = [];
  readonly reports: string[] = [];
  readonly laters: (() => void)[] = [];
  readonly observer: CodexObserver;

  constructor() {
    this.observer = new CodexObserver({
      ask: (asking) => {
        let decide: (answer: object | undefined) => void = () => undefined;
        const answer = new Promise<object | undefined>((resolve) => {
          decide = resolve;
        });
        const onTable: OnTable = { ...asking, decide };
        this.asked.push(onTable);
        return {
          answer,
          withdraw: (note) => {
            onTable.note ??= note; // an answer may be on its way nevertheless
          },
        };
      },
      report: (words) => void this.reports.push(words),
      later: (_, act) => void this.laters.push(act),
    });
  }

  /** Opens a connection to an app server with these sessions. */
  connect(...threads: string[]): this {
    this.observer.opened(
      (message) => void this.sent.push(message as Message),
      '1',
      () => undefined,
    );
    this.reply('initialize', {});
    this.reply('thread/loaded/list', { data: threads, nextCursor: null });
    return this;
  }

  /** Replies to the newest request of this method. */
  reply(method: string, result: unknown, error?: object): void {
    const request = this.sent.findLast((each) => each.method === method);
    this.observer.take(error ? { id: request?.id, error } : { id: request?.id, result });
  }

  /** A session lets itself be followed. */
  join(
    id: string,
    { flags = ['waitingOnApproval'], turns = [running()] }: { flags?: string[]; turns?: object[] } = {},
  ) {
    const status = { type: 'active', activeFlags: flags };
    this.reply('thread/resume', { thread: { id, cwd: '/w', status, turns } });
  }

  /** What Codex was answered: everything but the observer's own requests. */
  get answers(): readonly Message[] {
    return this.sent.filter(({ method }) => method === undefined);
  }

  async decide(n: number, answer: object | undefined): Promise<void> {
    this.asked[n]?.decide(answer);
    await settled();
  }
}

export const settled = () => new Promise((resolve) => setImmediate(resolve));
export const running = (...items: object[]) => ({ id: 'u', status: 'inProgress', items });
export const ask = (id: number | string, more: object = {}): Message => ({
  id,
  method: 'item/commandExecution/requestApproval',
  params: { threadId: 't', turnId: 'u', itemId: `call_${id}`, command: 'ls', cwd: '/p', ...more },
});
export const resolved = (requestId: number | string, threadId = 't') => ({
  method: 'serverRequest/resolved',
  params: { threadId, requestId },
});
export const status = (threadId: string, type: string, activeFlags: string[] = []) => ({
  method: 'thread/status/changed',
  params: { threadId, status: { type, activeFlags } },
});
export const yes = { choice: 'accept' };
export const accept = { decision: 'accept' };
