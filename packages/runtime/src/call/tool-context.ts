import {
  approve,
  askForm,
  type CallArgs,
  callFaults,
  confirm,
  type InteractionDemand,
  type InteractionResult,
  type Json,
  type OfOwnFields,
  type PluginLog,
  type PluginState,
  type PluginStateStore,
  requireApproval,
  requireAsk,
  requireCallback,
  requireConfirm,
  requireFile,
  requireKey,
  requireStep,
  requireWait,
  type Parameters as Schema,
  type ToolContext,
  ToolError,
  type UnawaitedCalls,
  type WaitOptions,
} from '@parleyhq/core';
import { readSchema } from '@parleyhq/core/schemas';
import type { Logger } from 'pino';
import type { Secrets } from '../log/secrets.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { toJsonText } from '../tools/tool-result.ts';
import type { Asker } from './asker.ts';
import type { CallReviews } from './call-reviews.ts';
import type { CallServices } from './call-services.ts';
import type { CallWriter } from './call-writer.ts';
import { Callbacks } from './callbacks.ts';
import type { GateConsent } from './gate-consent.ts';
import { type CallGrants, makeApprovalDesk } from './plugin-approvals.ts';
import type { CallParts } from './question.ts';
import { requireRequest } from './question-spec.ts';
import type { Steps } from './steps.ts';

/** The parts of a call that its handler's context is made of. */
export interface HandlerParts {
  readonly parts: CallParts;
  readonly asker: Asker;
  readonly grants: CallGrants;
  readonly reviews: CallReviews;
  readonly steps: Steps;
}

/** Makes the context of a handler (PLG3). `callArgs` are the arguments that run. */
export function makeContext(
  { parts, asker, grants, reviews, steps }: HandlerParts,
  services: CallServices,
  registered: RegisteredTool,
  run: {
    readonly callArgs: CallArgs;
    readonly consent: GateConsent | undefined;
    /** Time allowed to the tool's `describe`, in ms. */
    readonly limitMs: number;
    /** The handler's own signal, which aborts when the call ends. */
    readonly signal: AbortSignal;
    /** Aborts when nothing that the handler does counts any more. */
    readonly over: AbortSignal;
    /** In ms: how much longer a callback may come that was awaited before a restart (INT10). */
    readonly graceMs: number;
    readonly unawaited: UnawaitedCalls;
    readonly callInside: ToolContext['callTool'];
  },
): ToolContext {
  const { host, asking, toolbox } = services;
  const { plugin } = registered;
  const { writer } = parts;
  const { session, call } = writer;
  const { callArgs, consent, limitMs, signal, over, graceMs } = run;
  const { toolCallId, toolName, turnId = '', responseId = '' } = call;
  const requestAs = (door: string) => (demand: InteractionDemand) => asker.requestInteraction(demand, { door });
  const pluginLog = makePluginLog(host.log.child({ plugin: plugin.name, tool: toolName, toolCallId }), host.secrets);
  const callbacks = new Callbacks(parts, services, { over, graceMs });
  const { unawaited } = run;
  const desk = guard(
    over,
    makeApprovalDesk(
      { parts, asker, grants, reviews, toolbox, consent, limitMs, now: host.node.now },
      registered,
      callArgs,
    ),
  );
  return {
    sessionId: session.id,
    toolCallId,
    turnId,
    toolName,
    signal,
    log: pluginLog,
    interaction: asking.availability(session.id),
    approvals: unawaited.watchFailures(
      'ctx.approvals',
      guard(over, {
        get: (...args: Parameters<CallGrants['get']>) => grants.get(...args),
        set: (...args: Parameters<CallGrants['set']>) => grants.set(...args),
        clearSession: (...args: Parameters<CallGrants['clearSession']>) => grants.clearSession(...args),
      }),
    ),
    state: unawaited.watchFailures(
      'ctx.state',
      guard(
        over,
        makePluginState(host.store.pluginState, plugin.name, session.id, (value) => writer.hasSecret(value)),
      ),
    ),
    requestInteraction: <D extends InteractionDemand, Id extends string>(demand: OfOwnFields<D, Id>) =>
      unawaited.watch(
        'ctx.requestInteraction',
        async () => asker.requestInteraction(demand) as Promise<InteractionResult<D>>,
      ),
    ask: (key, schema, options) =>
      unawaited.watch('ctx.ask', async () => {
        requireAsk(key, schema, options);
        return askForm(requestAs('ctx.ask'), key, readSchema(schema, 'ctx.ask'), options);
      }),
    approve: (demand) =>
      unawaited.watch('ctx.approve', async () => {
        requireApproval(demand, requireRequest);
        return approve({ ...desk, callArgs }, demand);
      }),
    confirm: (key, text) =>
      unawaited.watch('ctx.confirm', async () => {
        requireConfirm(key, text);
        return confirm(requestAs('ctx.confirm'), key, text);
      }),
    step: (key, fn) =>
      unawaited.watchFailure(`ctx.step(${JSON.stringify(key)})`, async () => {
        requireStep(key, fn);
        return steps.run(key, fn);
      }),
    callback: (key, options = {}) =>
      unawaited.watchFailure(`ctx.callback(${JSON.stringify(key)})`, async () => {
        requireCallback(key, options);
        return callbacks.open(key, options);
      }),
    waitFor: <S extends Schema | undefined>(key: string, schema?: S, options: WaitOptions = {}) =>
      unawaited.watch('ctx.waitFor', async () => {
        requireWait(key, schema, options);
        return callbacks.wait(key, schema, options) as never;
      }),
    openFile: (file) =>
      unawaited.watchFailure('ctx.openFile', async () => {
        requireOpen(over);
        requireFile(file);
        const bytes = await host.files.read(session.id, file);
        if (!bytes) throw callFaults.fileGone(file.name);
        return bytes;
      }),
    now: () => steps.now(),
    uuid: () => steps.uuid(),
    callTool: (inner) =>
      unawaited.watchFailure('ctx.callTool', async () => {
        requireOpen(over);
        return run.callInside(inner);
      }),
    async leavePlanMode(by) {
      if (session.row.permissionMode !== 'plan') return;
      await writer.perform({ type: 'change', change: { permissionMode: 'default', by } });
    },
    progress: (text) => streamProgress(writer, over, String(text), { turnId, responseId }),
    error: (code, message) => new ToolError(code, message),
  };
}

/** Streams a tool's output to the tabs until the call is over. */
function streamProgress(
  writer: CallWriter,
  signal: AbortSignal,
  text: string,
  { turnId, responseId }: { turnId: string; responseId: string },
): void {
  const { session, call } = writer;
  if (signal.aborted || !writer.isOpen) return;
  const { toolCallId } = call;
  session.tabs.stream.write(
    { turnId, responseId, block: 0, kind: 'tool_output', toolCallId },
    writer.redactPiece(text),
  );
}

/** @throws ToolError `call_closed` once the call is over */
function requireOpen(signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError('call_closed', 'The call is over.');
}

type Methods = { readonly [name: string]: (...args: never[]) => Promise<unknown> };

/** Wraps an API so that its methods are rejected once the call is over (INT11). */
function guard<T extends object>(signal: AbortSignal, api: T): T {
  const methods = Object.entries(api as Methods).map(([name, method]) => [
    name,
    async (...args: never[]) => {
      requireOpen(signal);
      return method(...args);
    },
  ]);
  return Object.fromEntries(methods);
}

/** @param hasSecret - whether a value contains a secret, which must not be stored (INT17) */
export function makePluginState(
  store: PluginStateStore,
  plugin: string,
  sessionId: string | undefined,
  hasSecret: (value: unknown) => boolean,
): PluginState {
  return {
    get: async (key) => {
      requireKey(key);
      return store.get(plugin, sessionId, key);
    },
    async set(key, value) {
      requireKey(key);
      const kept = value === undefined ? value : toState(key, value);
      if (hasSecret(key) || hasSecret(kept))
        throw new ToolError(
          'secret_refused',
          'A secret that a person typed is not kept: state is stored in the clear.',
        );
      await store.set(plugin, sessionId, key, kept);
    },
    delete: async (key) => {
      requireKey(key);
      await store.set(plugin, sessionId, key, undefined);
    },
  };
}

/** @throws ToolError `tool_error` for values that JSON would silently lose: a function, NaN, a Map (PLG8) */
function toState(key: string, value: unknown): Json {
  try {
    return JSON.parse(toJsonText(value, 'the value'));
  } catch (cause) {
    throw callFaults.stateNotJson(key, cause);
  }
}

/** Logs a plugin's messages, with secrets removed. */
export function makePluginLog(log: Logger, secrets: Secrets): PluginLog {
  const say = (level: keyof PluginLog) => (message: string, details?: object) =>
    log[level](details ?? {}, secrets.redact(String(message)));
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}
