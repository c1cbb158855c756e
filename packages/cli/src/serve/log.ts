import { type Logger, pino } from 'pino';
import { forTerminal } from '../io/line.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * The server's log, on stderr: for people where that is a terminal, else as JSON lines (OPS2). Under `--watch` it is a plugin's
 * author who reads it, wherever it goes: with all that `ctx.log.info` says (PLG12).
 */
export async function openLog({
  json,
  logLevel,
  watch,
}: Pick<Settings, 'json' | 'logLevel' | 'watch'>): Promise<Logger> {
  const level = logLevel ?? (json || watch ? 'info' : 'warn');
  const isForPeople = !json && (process.stderr.isTTY || watch);
  process.stderr.on('error', () => undefined); // a log without room, or whose reader is gone, ends no session (DUR8)
  const toText = isForPeople ? await formatForPeople() : (line: string) => line;
  return pino({ level }, { write: (line) => process.stderr.write(toText(line)) });
}

/** What others wrote gives the terminal no orders (SEC5), so there are no colours either. */
async function formatForPeople() {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: false,
    translateTime: 'SYS:HH:MM:ss',
    ignore: `pid,hostname,${inMessage.join(',')}`,
    messageFormat: toMessage,
  });
  return (line: string) => forTerminal(format(line), true);
}

/** Members of a line that its message says. */
const inMessage = ['plugin', 'tool', 'toolCallId', 'thrown', 'message', 'stack', 'error', 'code'];

/** Whose line it is and what happened, then what was thrown and where: to read, not to parse. */
function toMessage(line: Record<string, unknown>): string {
  const place = [line.plugin, line.tool].filter(Boolean).join(' › ');
  const { thrown: type, message, stack, code } = line;
  const own = { type, message, stack, code };
  return [indent([place, line.msg].filter(Boolean).join(': ')), ...sayFault(own), ...sayFault(line.error)].join('\n');
}

/** Nobody's words begin a line that looks like another entry. */
const indent = (words: string) => words.replaceAll('\n', '\n    ');

/** A fault as the log has it: the lines of its type, message and stack, then its cause. */
function sayFault(fault: unknown): string[] {
  if (typeof fault !== 'object' || fault === null) return fault === undefined ? [] : [`    ${indent(String(fault))}`];
  const { type, code, message, stack, cause } = fault as Record<string, unknown>;
  const words = [type ?? code, message].filter(Boolean).join(': ');
  return [
    ...(words === '' ? [] : [`    ${indent(words)}`]),
    ...(typeof stack === 'string' && stack !== '' ? [stack] : []),
    ...(cause === undefined ? [] : ['    because of', ...sayFault(cause)]),
  ];
}
