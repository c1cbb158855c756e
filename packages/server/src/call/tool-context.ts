import {
  approve,
  askForm,
  confirm,
  findCall,
  type InteractionDemand,
  type Json,
  type PluginLog,
  type PluginState,
  type ToolContext,
  ToolError,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Secrets } from '../log/secrets.ts';
import type { Runtime } from '../runtime.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { CallRunner } from './call-runner.ts';
import { makeApprovals, makeDesk } from './plugin-approvals.ts';

/** What a handler gets besides its arguments (PLG3). `callArgs`: those that run, as JSON. */
export function makeContext(runner: CallRunner, registered: RegisteredTool, callArgs: Json): ToolContext {
  const { plugin } = registered;
  const { runtime, session, call, signal } = runner;
  const { toolCallId, toolName, turnId = '', responseId = '' } = call;
  const request = (demand: InteractionDemand) => runner.requestInteraction(demand);
  const approvals = makeApprovals(runner, plugin.name);
  const desk = guard(signal, makeDesk(runner, registered, approvals, callArgs));
  return {
    sessionId: session.id,
    toolCallId,
    turnId,
    toolName,
    signal,
    log: makePluginLog(runtime.log.child({ plugin: plugin.name, tool: toolName, toolCallId }), runtime.secrets),
    interaction: runtime.availability(session.id),
    approvals: guard(signal, approvals),
    state: guard(signal, makePluginState(runtime, plugin.name, session.id)),
    requestInteraction: request,
    ask: (key, schema, options) => askForm(request, key, schema, options),
    approve: (demand) => approve({ ...desk, callArgs }, demand),
    confirm: (key, text) => confirm(request, key, text),
    step: (key, fn) => runner.steps.run(key, fn),
    now: () => runner.steps.now(),
    uuid: () => runner.steps.uuid(),
    async callTool(inner) {
      if (signal.aborted) throw new ToolError('call_closed', 'The call is over.');
      return runner.callInside(inner);
    },
    async leavePlanMode(by) {
      if (session.row.permissionMode !== 'plan') return;
      await runner.perform({ type: 'change', change: { permissionMode: 'default', by } });
    },
    progress(text) {
      if (signal.aborted || !findCall(session.head, toolCallId)) return;
      session.stream.write(
        { turnId, responseId, block: 0, kind: 'tool_output', toolCallId },
        runner.secrets.redact(String(text)),
      );
    },
    error: (code, message) => new ToolError(code, message),
  };
}

type Methods = { readonly [name: string]: (...args: never[]) => Promise<unknown> };

/** What a handler does after its call was closed is refused and changes nothing (INT11). */
function guard<T extends object>(signal: AbortSignal, api: T): T {
  const methods = Object.entries(api as Methods).map(([name, method]) => [
    name,
    async (...args: never[]) => {
      if (signal.aborted) throw new ToolError('call_closed', 'The call is over.');
      return method(...args);
    },
  ]);
  return Object.fromEntries(methods);
}

export function makePluginState(
  runtime: Pick<Runtime, 'store'>,
  plugin: string,
  sessionId: string | undefined,
): PluginState {
  const { pluginState } = runtime.store;
  return {
    get: (key) => pluginState.get(plugin, sessionId, key),
    set: (key, value) => pluginState.set(plugin, sessionId, key, value),
    delete: (key) => pluginState.set(plugin, sessionId, key, undefined),
  };
}

/** What a plugin says is its own affair, but for secrets. */
export function makePluginLog(log: Logger, secrets: Secrets): PluginLog {
  const say = (level: keyof PluginLog) => (message: string, details?: object) =>
    log[level](details ?? {}, secrets.redact(String(message)));
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}
