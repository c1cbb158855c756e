import { ToolError, toToolError } from '../basics/error.ts';
import { isRecord, type Json, type Jsonified } from '../basics/json.ts';
import { approve } from '../plugin/approve.ts';
import { askForm, confirm } from '../plugin/ask.ts';
import {
  requireApproval,
  requireAsk,
  requireCallback,
  requireConfirm,
  requireFile,
  requireStep,
  requireWait,
} from '../plugin/author-check.ts';
import { callFaults, requireKey } from '../plugin/call-faults.ts';
import type { InteractionDemand, InteractionResult, OfOwnFields } from '../plugin/demand.ts';
import {
  askAboutEdits,
  type EditAnswer,
  type EditHandlers,
  type FollowEdit,
  readApproved,
} from '../plugin/edited-args.ts';
import { parseArgs, readSchema } from '../plugin/schemas.ts';
import type { ToolContext, WaitOptions } from '../plugin/tool.ts';
import { UnawaitedCalls } from '../plugin/unawaited-calls.ts';
import { nameGrant } from '../prompt/grant.ts';
import { gateSlot, recoverySlot } from '../prompt/interaction.ts';
import { type CallArgs, isSameJson, readAgain, showArgs } from '../schema/call-args.ts';
import type { Parameters } from '../schema/standard-schema.ts';
import { readGiven } from './given-file.ts';
import { OwnTime } from './own-time.ts';
import { type Life, Questions } from './questions.ts';
import { readSpec } from './read-spec.ts';
import type { Scene } from './scene.ts';
import { toJson } from './stage.ts';

/** A server's default time limit of a tool, in ms. */
const usualToolTimeoutMs = 10 * 60_000;

/** One run of a handler, from the top to its end or to the crash of its process. */
export class Run implements Life {
  readonly #play: Scene;
  readonly #questions: Questions;
  readonly #abort = new AbortController();
  readonly #steps = new Set<string>();
  readonly #opened = new Set<string>();
  readonly #awaited = new Set<string>();
  readonly #counts = { now: 0, uuid: 0 };
  readonly #unawaited: UnawaitedCalls;
  #ownTime: OwnTime | undefined;
  #isDead = false;
  #waiting = 0;
  #working = 0;

  constructor(play: Scene) {
    this.#play = play;
    this.#questions = new Questions(play, this);
    this.#unawaited = new UnawaitedCalls((call) => play.reportUnawaited(call));
  }

  /** Whether it only waits for people: after a crash it is then re-entered without asking (DUR2). */
  get isWaiting(): boolean {
    return this.#waiting > 0 && this.#working === 0;
  }

  /** Crashes the process: what this run awaits never settles. */
  kill(): void {
    this.#isDead = true;
    this.#unawaited.stop();
    this.#ownTime?.stop();
  }

  /** Ends the run with its call. */
  end(): void {
    this.#ownTime?.stop();
    this.#abort.abort(new ToolError('cancelled', 'The call is over.'));
  }

  live<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#isDead || resolve(value),
        (error: unknown) => this.#isDead || reject(error),
      );
    });
  }

  async wait<T>(promise: Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#ownTime?.pause();
    try {
      return await this.live(promise);
    } finally {
      this.#waiting -= 1;
      this.#ownTime?.resume();
    }
  }

  async hook<T>(fn: () => T | Promise<T>): Promise<T> {
    this.#ownTime?.pause();
    const limit = this.#limitTime(callFaults.slowHook);
    try {
      return await Promise.race([this.work(fn), limit.isOver]);
    } finally {
      limit.time.stop();
      this.#ownTime?.resume();
    }
  }

  async work<T>(fn: () => T | Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await this.live((async () => fn())());
    } finally {
      this.#working -= 1;
    }
  }

  /** @param wasInterrupted - the process crashed while the handler did something, so that nobody knows how far it got (DUR4) */
  async handle(wasInterrupted: boolean): Promise<Json> {
    const { tool } = this.#play;
    if (wasInterrupted) await this.#recover();
    const args = await this.#passGate(await this.#readArgs());
    this.#questions.args = args.json;
    const limit = this.#limitTime(callFaults.slowTool);
    this.#ownTime = limit.time;
    const handled = this.live((async () => tool.handler(this.#valueOf(args), this.#makeContext(args)))());
    try {
      return toJson(await Promise.race([handled, limit.isOver]), 'invalid_result', 'the result');
    } finally {
      this.#unawaited.end();
    }
  }

  /** Starts the time limit of a tool, or of one of its hooks (PLG4, INT12). */
  #limitTime(refuse: (ms: number) => ToolError): { readonly time: OwnTime; readonly isOver: Promise<never> } {
    const { tool, stage } = this.#play;
    const { timeoutMs = usualToolTimeoutMs } = tool;
    let end: (error: ToolError) => void = () => undefined;
    const isOver = new Promise<never>((_, reject) => {
      end = reject;
    });
    return { time: new OwnTime(stage, timeoutMs, () => end(refuse(timeoutMs))), isOver };
  }

  async #recover(): Promise<void> {
    const { onInterrupted = this.#play.tool.readOnly ? 'retry' : 'ask' } = this.#play.tool;
    if (onInterrupted === 'retry') return;
    const answer =
      onInterrupted === 'ask' &&
      (await this.#questions.ask(
        { type: 'approval', title: 'Run it again?', approvalScopes: ['once'], timeoutMs: null, onUnavailable: 'wait' },
        recoverySlot,
      ));
    if (isRecord(answer) && answer.action === 'approve') return;
    throw callFaults.interrupted();
  }

  async #read(args: Json): Promise<CallArgs> {
    const { schema, jsonSchema } = readSchema(this.#play.tool.parameters, `Tool "${this.#play.toolName}"`);
    return parseArgs(schema['~standard'].validate, jsonSchema, args);
  }

  /** Parses the arguments, as they were shown before a crash if there was one (APR2). */
  async #readArgs(): Promise<CallArgs> {
    const { args: written, records } = this.#play;
    const { args: json } = records;
    const read = (args: Json) => this.#read(args);
    const args = json === undefined ? await read(written) : await readAgain(read, { written, json });
    if (json !== undefined && !isSameJson(args.json, json)) this.#play.voidConsents();
    records.args = args.json;
    this.#questions.args = args.json;
    return args;
  }

  /** Asks for the approval that the tool itself requires before it runs (APR3); only servers have modes and policies. */
  async #passGate(args: CallArgs): Promise<CallArgs> {
    const { tool, toolName, stage, slots } = this.#play;
    const { approval = 'never' } = tool;
    const mustAsk = typeof approval === 'function' ? await approval(this.#valueOf(args)) : approval === 'always';
    if (!mustAsk) return args;
    const keyOf = ({ json }: CallArgs) => [toolName, json];
    if (!slots.has(gateSlot) && stage.takeGrant(keyOf(args))) return args;
    const rules = await tool.rules?.(this.#valueOf(args));
    const demand: InteractionDemand = {
      type: 'approval',
      subject: showArgs(args.json),
      ...(await tool.describe?.(this.#valueOf(args))),
      approvalScopes: ['once', 'session', 'always'],
      editable: true,
      ...(rules && { rules: [...rules] }),
      onResponse: async (answer) => {
        const { editedArgs = args.written } = answer;
        const fault = await this.#read(editedArgs).then(() => undefined, toToolError);
        return fault ? { reprompt: { error: fault.message } } : { complete: { ...answer } };
      },
    };
    const asked = askAboutEdits(demand, this.#editDesk(gateSlot));
    const said = await this.#questions.ask(asked, gateSlot, { key: nameGrant(keyOf(args)) });
    if (!isRecord(said) || said.error === 'timeout') throw callFaults.notAllowedInTime();
    const answer = said as unknown as EditAnswer;
    const { action, reason = 'A person did not allow this.', approvalScope: scope = 'once' } = answer;
    if (action !== 'approve') throw new ToolError(action === 'cancel' ? 'cancelled' : 'denied', reason);
    if (answer.editedArgs === undefined) return args;
    const edited = await readApproved((typed) => this.#read(typed), answer);
    if (scope !== 'once') stage.grants.set(nameGrant(keyOf(edited)), scope);
    return edited;
  }

  #valueOf(args: CallArgs): Record<string, unknown> {
    return args.value() as Record<string, unknown>;
  }

  /** Returns the services for checking and storing edits, like a server's (APR2). */
  #editDesk(slot: string, follow?: FollowEdit): EditHandlers {
    const { tool, slots, records } = this.#play;
    return {
      read: (typed) => this.#read(typed),
      describe: async (args) => (await tool.describe?.(this.#valueOf(args))) ?? {},
      follow,
      record: async (edit) => void records.edits.set(slot, edit),
      recall() {
        const last = slots.get(slot)?.prompt.request;
        const edit = last?.editable === false ? records.edits.get(slot) : undefined;
        if (!last || !edit) return undefined;
        const { interactionId, title, prompt, subject, risk } = last;
        return { interactionId, ...edit, shown: { title, prompt, subject, risk } };
      },
    };
  }

  #makeContext(callArgs: CallArgs): ToolContext {
    const { stage, toolCallId, toolName, records } = this.#play;
    const request = (demand: InteractionDemand) => this.#questions.request(demand);
    const unawaited = this.#unawaited;
    const ask = <T>(door: string, fn: () => Promise<T>): Promise<T> => unawaited.watch(door, () => this.live(fn()));
    const act = <T>(door: string, fn: () => Promise<T>): Promise<T> =>
      unawaited.watchFailure(door, () => this.live(fn()));
    return {
      sessionId: 'session',
      turnId: 'turn',
      toolCallId,
      toolName,
      signal: this.#abort.signal,
      log: stage.makeLog((value) => this.#play.redact(value)),
      state: unawaited.watchFailures('ctx.state', stage.makeState('session')),
      get interaction() {
        const count = stage.available ? 1 : 0;
        return { available: stage.available, supportedCount: count, enabledCount: count };
      },
      approvals: unawaited.watchFailures('ctx.approvals', {
        get: async (key) => stage.takeGrant(key),
        set: async (key, scope) => void stage.grants.set(nameGrant(key), scope),
        clearSession: async () => {
          for (const [name, scope] of stage.grants) if (scope !== 'always') stage.grants.delete(name);
        },
      }),
      requestInteraction: <D extends InteractionDemand, Id extends string>(demand: OfOwnFields<D, Id>) =>
        ask('ctx.requestInteraction', () => request(demand)) as Promise<InteractionResult<D>>,
      ask: (key, schema, options) =>
        ask('ctx.ask', async () => {
          requireAsk(key, schema, options);
          return askForm(request, key, readSchema(schema, 'ctx.ask'), options);
        }),
      confirm: (key, text) =>
        ask('ctx.confirm', async () => {
          requireConfirm(key, text);
          return confirm(request, key, text);
        }),
      approve: (demand) =>
        ask('ctx.approve', async () => {
          requireApproval(demand, (request, { code, door }) => void readSpec(request, code, {}, door));
          return approve(
            {
              callArgs,
              find: async (key, slot) => {
                const scope = this.#play.slots.has(slot) ? undefined : stage.takeGrant(key);
                return scope && { approved: true, scope };
              },
              ask: ({ subject = showArgs(callArgs.json), key = '', ...asked }, offer, follow) =>
                this.#questions.request(askAboutEdits({ ...asked, key, subject }, this.#editDesk(key, follow)), offer),
              keep: async ({ key, scope }) => {
                stage.grants.set(key, scope);
                return true;
              },
              read: (typed) => this.#read(typed),
            },
            demand,
          );
        }),
      step: (key, fn) =>
        act(`ctx.step(${JSON.stringify(key)})`, async () => {
          requireStep(key, fn);
          return this.#step(key, fn);
        }),
      callback: (key, options = {}) =>
        act(`ctx.callback(${JSON.stringify(key)})`, async () => {
          requireCallback(key, options);
          this.#requireNew(this.#opened, key, 'ctx.callback');
          return records.callbacks.open(toolCallId, key, options);
        }),
      waitFor: <S extends Parameters | undefined>(key: string, schema?: S, options: WaitOptions = {}) =>
        ask('ctx.waitFor', async () => {
          requireWait(key, schema, options);
          this.#requireNew(this.#awaited, key, 'ctx.waitFor');
          return this.wait(records.callbacks.wait(key, schema, options)) as never;
        }),
      openFile: (file) =>
        act('ctx.openFile', async () => {
          requireFile(file);
          const bytes = readGiven(file);
          if (bytes) return bytes;
          throw callFaults.fileGone(file.name);
        }),
      now: () => this.#recall('now', () => stage.now),
      uuid: () => this.#recall('uuid', () => toUuid(stage.nextNumber())),
      callTool: (call) =>
        act('ctx.callTool', async () => {
          if (records.callTool) return records.callTool(call);
          throw new ToolError(
            'tool_error',
            `callTool: no other tool is played: pass "callTool" to answer for "${call.toolName}".`,
          );
        }),
      leavePlanMode: async () => undefined,
      progress: (text) => void (this.#isDead || this.#play.progress.push(this.#play.redact(String(text)))),
      error: (code, message) => new ToolError(code, message),
    };
  }

  #requireNew(taken: Set<string>, key: string, door: string): void {
    if (taken.has(key)) throw callFaults.takenKey(door, key);
    requireKey(key);
    taken.add(key);
  }

  /** Runs a step once, even if the process crashes, unless it throws (DUR3). */
  async #step<T>(key: string, fn: () => T | Promise<T>): Promise<Jsonified<T>> {
    const { records, effects } = this.#play;
    if (this.#steps.has(key)) throw callFaults.takenStep(key);
    requireKey(key);
    this.#steps.add(key);
    const recorded = records.steps.get(key);
    if (recorded) return recorded.value as Jsonified<T>;
    effects[key] = (effects[key] ?? 0) + 1;
    const value = await this.work(fn).catch((error: unknown) => {
      this.#steps.delete(key);
      throw error;
    });
    const json = toJson(value, 'invalid_result', `the value of step "${key}"`);
    records.steps.set(key, { value: json });
    return json as Jsonified<T>;
  }

  #recall<T extends Json>(kind: 'now' | 'uuid', make: () => T): T {
    this.#counts[kind] += 1;
    const key = `${kind}:${this.#counts[kind]}`;
    const { recalled } = this.#play.records;
    const value = recalled.get(key) ?? make();
    recalled.set(key, value);
    return value as T;
  }
}

function toUuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
