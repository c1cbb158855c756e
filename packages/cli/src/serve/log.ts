import { type Logger, pino } from 'pino';
import { forTerminal } from '../io/line.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Opens the server's log on stderr: readable text on a terminal, otherwise JSON lines (OPS2). With `--watch` it is readable text
 * with level `info` in any case, because the plugin's author reads it (PLG12).
 */
export async function openLog({
  json,
  logLevel,
  watch,
}: Pick<Settings, 'json' | 'logLevel' | 'watch'>): Promise<Logger> {
  const level = logLevel ?? (json || watch ? 'info' : 'warn');
  const isForPeople = !json && (process.stderr.isTTY || watch);
  process.stderr.on('error', () => undefined); // a full disk or a closed pipe must not end sessions (DUR8)
  const toText = isForPeople ? await formatForPeople() : (line: string) => line;
  return pino({ level }, { write: (line) => process.stderr.write(toText(line)) });
}

/** Formats log lines for people. Control characters are escaped, as text may be from others (SEC5), so colours are off. */
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

/** Members of a log line that `toMessage` includes in the message. */
const inMessage = ['plugin', 'tool', 'toolCallId', 'thrown', 'message', 'stack', 'error', 'code'];

/** Formats a log line for people: the plugin and tool, the message, then the error with its stack. */
function toMessage(line: Record<string, unknown>): string {
  const place = [line.plugin, line.tool].filter(Boolean).join(' › ');
  const { thrown: type, message, stack, code } = line;
  const own = { type, message, stack, code };
  return [indent([place, line.msg].filter(Boolean).join(': ')), ...sayFault(own), ...sayFault(line.error)].join('\n');
}

/** Indents continuation lines, so that no text can look like another log entry. */
const indent = (words: string) => words.replaceAll('\n', '\n    ');

/** Formats a logged error: lines with its type and message, its stack, then its cause. */
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
