import { EditorProxy, type News, type Question } from '../src/editor/proxy.ts';

export const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
export const permission = (id: number, sessionId = 's') =>
  line({
    id,
    method: 'session/request_permission',
    params: { sessionId, toolCall: { toolCallId: `t${id}` }, options },
  });
export const chosen = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
export const promptOf = (id: number, sessionId = 's') =>
  line({ id, method: 'session/prompt', params: { sessionId, prompt: [] } });
export const cancelled = { outcome: { outcome: 'cancelled' } };
export const cancelOf = (requestId: number) => line({ method: '$/cancel_request', params: { requestId } });

/** A proxy between a scripted editor and agent, with people who answer when the test lets them. */
export class Between {
  readonly agent: string[] = [];
  readonly editor: string[] = [];
  readonly asked: (Question & { decide(result: object | undefined): void; note?: string })[] = [];
  readonly told: News[] = [];
  readonly proxy: EditorProxy;

  constructor(asksForms = true) {
    this.proxy = new EditorProxy(
      {
        toAgent: (text) => this.agent.push(String(text)),
        toEditor: (text) => this.editor.push(String(text)),
        ask: (question) => {
          let decide: (result: object | undefined) => void = () => undefined;
          const answer = new Promise<object | undefined>((resolve) => {
            decide = resolve;
          });
          const asked = { ...question, decide } as (typeof this.asked)[number];
          this.asked.push(asked);
          return {
            answer,
            withdraw: (note) => {
              asked.note ??= note;
              decide(undefined);
            },
          };
        },
        tell: (news) => void this.told.push(news),
      },
      asksForms,
    );
  }

  /** Lets people decide a question. */
  async decide(n: number, result: object | undefined): Promise<void> {
    this.asked[n]?.decide(result);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
