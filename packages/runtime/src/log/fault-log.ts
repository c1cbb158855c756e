import { isRecord } from '@parleyhq/core';
import type { Logger } from 'pino';
import { type ErrorDetail, isCode, messageOf, nameOf, stackOf } from './describe-error.ts';

/**
 * Logs a failed tool call. An error that its author threw on purpose was reported to the agent and is noted here; any other is
 * logged with its stack. The message may contain arguments or answers, so it is logged only if a plugin's author alone reads the
 * log (SEC8, PLG12).
 */
export function logFault(
  log: Logger,
  thrown: unknown,
  { code, ...call }: Readonly<Record<'toolCallId' | 'tool' | 'code', string>>,
  errorDetail: ErrorDetail,
) {
  const details = { ...call, ...(isCode(code) && { code }) };
  const broken = findBroken(thrown);
  const said = describeFault(thrown, errorDetail);
  if (broken === undefined) log.info({ ...details, ...said }, 'tool call failed');
  else log.warn({ ...details, ...said }, 'tool call failed: its handler broke');
}

/** Describes a thrown value for the log; see `logFault`. */
export function describeFault(thrown: unknown, { logsMessages }: ErrorDetail): object {
  const broken = findBroken(thrown);
  const said = (error: unknown) => logsMessages && { message: messageOf(error) };
  if (broken === undefined) return { ...said(thrown) };
  return { thrown: nameOf(broken), ...said(broken), stack: stackOf(broken) };
}

/**
 * Finds the error that is not a ToolError, whichever copy of the class; a ToolError made by Parley for a hook has it as its
 * cause.
 */
function findBroken(thrown: unknown): unknown {
  try {
    if (!isRecord(thrown)) return thrown;
    if (!(thrown instanceof Error)) return typeof thrown.code === 'string' ? undefined : thrown;
    if (thrown.name !== 'ToolError') return thrown;
    const { cause } = thrown;
    return cause instanceof Error && cause.name !== 'ToolError' && cause.name !== 'RefusalError' ? cause : undefined;
  } catch {
    return thrown; // a value that cannot be read was not thrown on purpose
  }
}
