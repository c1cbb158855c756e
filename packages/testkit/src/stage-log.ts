import type { PluginLog } from '@parleyhq/core';
import type { CallServices, Secrets } from '@parleyhq/runtime';
import type { LogLine } from './log-line.ts';

type Logger = CallServices['host']['log'];

/** Receives what plugins log, and the warnings of the server. */
export type Output = (line: LogLine) => void;

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** Makes the log of a process; secrets that people typed are removed. */
export function makeStageLog(output: Output, secrets: Secrets): Logger {
  const write = (level: keyof PluginLog) => (details: object, message: string) => {
    const shown = Object.keys(details).length > 0 ? { details: secrets.redact(details) } : {};
    output({ level, message: secrets.redact(message), ...shown });
  };
  const writing = (...wanted: readonly (keyof PluginLog)[]) =>
    Object.fromEntries(levels.map((level) => [level, wanted.includes(level) ? write(level) : () => undefined]));
  const ofPlugin = writing(...levels);
  const child = (bindings: object) => ('plugin' in bindings ? ofPlugin : log);
  const log = { ...writing('warn', 'error'), child };
  return log as unknown as Logger; // the runtime uses no other methods of a logger
}
