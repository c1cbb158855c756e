import { isRecord } from '@parleyhq/core';
import type { Logger } from 'pino';
import { type Frankness, isCode, messageOf, nameOf, stackOf } from './describe-error.ts';

/**
 * A tool call that failed. What its author threw on purpose is told to the agent and noted here; what broke is shown with
 * the lines where it did. The message, which may hold arguments or answers, only where a plugin's author alone reads the log (SEC8, PLG12).
 */
export function logFault(
  log: Logger,
  thrown: unknown,
  { code, ...call }: Readonly<Record<'toolCallId' | 'tool' | 'code', string>>,
  frankness: Frankness,
) {
  const details = { ...call, ...(isCode(code) && { code }) };
  const broken = findBroken(thrown);
  const said = describeFault(thrown, frankness);
  if (broken === undefined) log.info({ ...details, ...said }, 'tool call failed');
  else log.warn({ ...details, ...said }, 'tool call failed: its handler broke');
}

/** What a log says of what was thrown; see `logFault`. */
export function describeFault(thrown: unknown, { logsMessages }: Frankness): object {
  const broken = findBroken(thrown);
  const said = (error: unknown) => logsMessages && { message: messageOf(error) };
  if (broken === undefined) return { ...said(thrown) };
  return { thrown: nameOf(broken), ...said(broken), stack: stackOf(broken) };
}

/** What is no ToolError, of whichever copy of the class; a hook's is the cause of ours. */
function findBroken(thrown: unknown): unknown {
  try {
    if (!isRecord(thrown)) return thrown;
    if (!(thrown instanceof Error)) return typeof thrown.code === 'string' ? undefined : thrown;
    if (thrown.name !== 'ToolError') return thrown;
    const { cause } = thrown;
    return cause instanceof Error && cause.name !== 'ToolError' && cause.name !== 'RefusalError' ? cause : undefined;
  } catch {
    return thrown; // nobody throws on purpose what cannot be read
  }
}
