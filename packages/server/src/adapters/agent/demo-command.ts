import { InexactNumberError, type Json, parseExactJson } from '@parleyhq/core';

export type DemoCommand =
  | { readonly type: 'call'; readonly toolName: string; readonly args: Json }
  | { readonly type: 'stream'; readonly count: number; readonly delayMs: number }
  /** A line that cannot be understood, with the reason. */
  | { readonly type: 'fault'; readonly message: string };

const maxDeltas = 100_000;
const maxDelayMs = 60_000;

/** Parses the commands of a message, one per line. JSON may continue on lines that do not start with a slash. */
export function parseCommands(text: string): readonly DemoCommand[] {
  const commands = joinContinued(text.split('\n')).map((command) => command.trim());
  return commands.some(isCommand) ? commands.filter((command) => command !== '').map(parseCommand) : [];
}

/** Joins each line that starts with a slash with the lines that continue it. */
function joinContinued(lines: readonly string[]): readonly string[] {
  const joined: string[][] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (last && !line.trimStart().startsWith('/')) last.push(line);
    else joined.push([line]);
  }
  return joined.map((parts) => parts.join('\n'));
}

function isCommand(line: string): boolean {
  return /^\/(call|stream)(\s|$)/.test(line);
}

function parseCommand(line: string): DemoCommand {
  const [, name, rest = ''] = /^\/(call|stream)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  if (name === 'call') return parseCall(rest);
  if (name === 'stream') return parseStream(rest);
  return fault(`I know only /call and /stream, and left this out: ${line}`);
}

function parseCall(rest: string): DemoCommand {
  const [, toolName, json = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (toolName === undefined) return fault('/call needs the name of a tool, as in /call ask_user {"question": "Why?"}');
  try {
    return { type: 'call', toolName, args: json === '' ? {} : (parseExactJson(json) as Json) };
  } catch (error) {
    if (error instanceof InexactNumberError)
      return fault(`${toolName} is not called: in its arguments, ${error.message}.`);
    return fault(
      `The arguments of ${toolName} are not valid JSON: ${error instanceof Error ? error.message : error}. They look like {"name": "text"}, with double quotes.`,
    );
  }
}

function parseStream(rest: string): DemoCommand {
  const [, n, ms] = /^(\d+)\s+(\d+)$/.exec(rest) ?? [];
  const count = Number(n);
  const delayMs = Number(ms);
  if (count <= maxDeltas && delayMs <= maxDelayMs) return { type: 'stream', count, delayMs };
  return fault(
    `/stream needs how many pieces (at most ${maxDeltas}) and the milliseconds between them (at most ${maxDelayMs}), as in /stream 20 100`,
  );
}

function fault(message: string): DemoCommand {
  return { type: 'fault', message };
}
