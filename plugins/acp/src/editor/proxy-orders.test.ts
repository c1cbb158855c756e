import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Between, cancelled, cancelOf, line, promptOf } from '../../test/proxy-stage.ts';

type Members = Readonly<Record<string, unknown>>;

/** A question of the agent, as a model without the proxy has it. */
interface Asked {
  readonly number: number;
  readonly id: number;
  readonly sessionId: string;
  readonly isForm: boolean;
  readonly prompts: Set<number>;
  /** Why it may be answered with nobody's decision now. */
  over?: 'stop' | 'end' | 'taken back';
}

interface Dialog {
  /** The editor's id of the request, and the number of the question that it shows. */
  readonly id: unknown;
  readonly number: number;
  isClosed: boolean;
}

const session = fc.constantFrom('s', 't');
const step = fc.oneof(
  fc.record({ by: fc.constant('agent' as const), id: fc.nat(2), session, isForm: fc.boolean() }),
  fc.record({ by: fc.constant('agent' as const), id: fc.nat(2), session, isForm: fc.boolean() }),
  fc.record({ by: fc.constant('editor' as const), n: fc.nat(9), said: fc.constantFrom('yes', 'no', 'error') }),
  fc.record({ by: fc.constant('people' as const), n: fc.nat(9), isNone: fc.boolean(), isHeldUp: fc.boolean() }),
  fc.record({ by: fc.constant('prompt' as const), session }),
  fc.record({ by: fc.constant('end' as const), n: fc.nat(3), isError: fc.boolean() }),
  fc.record({ by: fc.constant('stop' as const), session }),
  fc.record({ by: fc.constant('takeback' as const), id: fc.nat(2) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Plays an agent, an editor and people, and checks each line that the proxy sends at once. */
class Play {
  readonly #between = new Between();
  readonly #questions: Asked[] = [];
  readonly #waiting = new Map<number, Asked>();
  readonly #dialogs: Dialog[] = [];
  readonly #running = new Map<number, string>();
  readonly #decided = new Set<number>();
  #prompts = 100;
  #toAgent = 0;
  #toEditor = 0;

  constructor(showsForms: boolean) {
    const clientCapabilities = showsForms ? { elicitation: { form: {}, url: {} } } : {};
    this.#fromEditor(line({ id: 99, method: 'initialize', params: { clientCapabilities } }));
  }

  /** Lets what is decided reach the proxy. */
  async settle(): Promise<void> {
    await undefined;
    this.#check();
  }

  take(each: Step): void {
    this.#do(each);
    this.#check();
  }

  #do(each: Step): void {
    switch (each.by) {
      case 'agent':
        if (!this.#waiting.has(each.id)) this.#ask(each);
        break;
      case 'editor': {
        const dialog = this.#dialogs.splice(each.n % (this.#dialogs.length || 1), 1)[0]; // one answer each, also a late one
        const said = each.said === 'error' ? { error: { code: 1, message: `e${dialog?.number}` } } : undefined;
        if (dialog) this.#fromEditor(line({ id: dialog.id, ...(said ?? resultOf(dialog.number, each.said)) }));
        break;
      }
      case 'people': {
        const number = each.n % (this.#questions.length || 1);
        this.#decided.add(number);
        this.#between.asked[number]?.decide(each.isNone ? undefined : resultOf(number, 'people').result);
        break;
      }
      case 'prompt':
        this.#prompts += 1;
        this.#running.set(this.#prompts, each.session);
        this.#fromEditor(promptOf(this.#prompts, each.session));
        break;
      case 'end':
        this.#end([...this.#running.keys()][each.n], each.isError);
        break;
      case 'stop':
        this.#stop(each.session);
        break;
      case 'takeback': {
        const question = this.#waiting.get(each.id);
        if (question) question.over = 'taken back';
        if (question) this.#fromAgent(cancelOf(each.id));
        break;
      }
      default:
        each satisfies never;
    }
  }

  /** Ends both sessions: nothing may be left, on any side. */
  async finish(): Promise<void> {
    for (const each of ['s', 't']) this.#stop(each);
    await this.settle();
    expect(this.#waiting.size).toBe(0);
    expect(this.#between.asked).toHaveLength(this.#questions.length);
    for (const { isClosed, number } of this.#dialogs)
      expect(isClosed || this.#questions[number]?.over === 'stop').toBe(true);
    const open = this.#between.asked.filter(({ note }, number) => note === undefined && !this.#decided.has(number));
    expect(open).toEqual([]); // each card was decided by people, or withdrawn
  }

  #ask({ id, session: sessionId, isForm }: Extract<Step, { by: 'agent' }>): void {
    const number = this.#questions.length;
    const prompts = new Set([...this.#running].filter(([, its]) => its === sessionId).map(([prompt]) => prompt));
    const question: Asked = { number, id, sessionId, isForm, prompts };
    this.#questions.push(question);
    this.#waiting.set(id, question);
    const toolCall = { toolCallId: `t${number}` };
    const permission = { method: 'session/request_permission', params: { sessionId, number, toolCall, options: [] } };
    const form = { method: 'elicitation/create', params: { sessionId, number, mode: 'form', message: '' } };
    this.#fromAgent(line({ id, ...(isForm ? form : permission) }));
  }

  #end(prompt: number | undefined, isError: boolean): void {
    if (prompt === undefined) return;
    this.#running.delete(prompt);
    for (const question of this.#waiting.values())
      if (question.prompts.delete(prompt) && question.prompts.size === 0) question.over = 'end';
    const result = isError ? { error: { code: -32600, message: 'busy' } } : { result: { stopReason: 'end_turn' } };
    this.#fromAgent(line({ id: prompt, ...result }));
    for (const question of this.#waiting.values()) expect(question.over).toBeUndefined(); // it was answered at once
  }

  #stop(sessionId: string): void {
    for (const question of this.#waiting.values()) if (question.sessionId === sessionId) question.over = 'stop';
    this.#fromEditor(line({ method: 'session/cancel', params: { sessionId } }));
    for (const question of this.#waiting.values()) expect(question.sessionId).not.toBe(sessionId);
  }

  #fromEditor(text: string): void {
    this.#between.proxy.fromEditor(text);
    this.#check();
  }

  #fromAgent(text: string): void {
    this.#between.proxy.fromAgent(text);
    this.#check();
  }

  /** Reads what the proxy has sent since the last time. */
  #check(): void {
    const { agent, editor } = this.#between;
    for (; this.#toAgent < agent.length; this.#toAgent += 1) this.#readAnswer(JSON.parse(agent[this.#toAgent] ?? ''));
    for (; this.#toEditor < editor.length; this.#toEditor += 1) this.#show(JSON.parse(editor[this.#toEditor] ?? ''));
  }

  /** The agent gets one answer for each question, and only what somebody answered to just this one, or that nobody did. */
  #readAnswer({ id, method, result, error }: Members): void {
    if (method !== undefined) return;
    const question = this.#waiting.get(id as number);
    expect(question).toBeDefined();
    if (!question) return;
    this.#waiting.delete(question.id);
    const said = JSON.stringify(result ?? error);
    if (said.includes(`"q${question.number} `) || said.includes(`"e${question.number}"`)) return;
    const nobody = question.isForm ? { action: 'cancel' } : cancelled;
    const isAlone = question.isForm && question.over === undefined; // the editor cannot show it, and people will not decide
    if (question.over === 'taken back') expect(error).toMatchObject({ code: -32800 });
    else expect([result, isAlone || question.over]).toEqual([nobody, expect.anything()]);
  }

  /** The editor shows a question, or closes its dialog. */
  #show({ id, method, params }: Members): void {
    if (method === '$/cancel_request') {
      const { requestId } = params as Members;
      const dialog = this.#dialogs.find((each) => each.id === requestId && !each.isClosed);
      if (dialog) dialog.isClosed = true;
      return;
    }
    if (method === undefined) return;
    const { number } = params as { readonly number: number };
    expect(this.#dialogs.filter((each) => each.id === id)).toEqual([]); // two dialogs could not be told apart
    this.#dialogs.push({ id, number, isClosed: false });
  }
}

/** What one side answers to a question: nobody else says just this. */
function resultOf(number: number, said: string) {
  const text = `q${number} ${said}`;
  return { result: { outcome: { outcome: 'selected', optionId: text }, action: 'accept', content: { text } } };
}

test('[ACP2] in any order of messages, each question gets exactly one answer, which somebody gave to it or nobody', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 60 }), async (showsForms, steps) => {
      const play = new Play(showsForms);
      for (const each of steps) {
        play.take(each);
        if (each.by !== 'people' || !each.isHeldUp) await play.settle(); // otherwise something else comes first
      }
      await play.finish();
    }),
    { numRuns: 2000 },
  );
});
