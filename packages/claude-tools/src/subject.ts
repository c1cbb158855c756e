import { isRecord, type Subject } from '@parleyhq/core';

type Args = Record<string, unknown>;

/**
 * Returns what a person reads before a call runs, derived from its arguments alone: changes as a diff, commands, addresses.
 * Nothing is left out.
 */
export function toSubject(tool: string, args: Args): Subject {
  const json: Subject = { kind: 'json', text: JSON.stringify(args, null, 2) };
  const rest = (...shown: string[]) => Object.keys(args).filter((name) => !shown.includes(name));
  switch (tool) {
    case 'Bash':
      return typeof args.command === 'string' ? { kind: 'command', text: args.command } : json; // `toDetails` shows the rest
    case 'apply_patch': // Codex's tool
      return typeof args.command === 'string' && rest('command').length === 0
        ? { kind: 'diff', text: args.command }
        : json;
    case 'Write': {
      const { file_path: path, content } = args;
      const isWhole = typeof path === 'string' && typeof content === 'string';
      return isWhole && rest('file_path', 'content').length === 0 ? diff(path, [toWrite(content)]) : json;
    }
    case 'Edit':
      return rest('file_path', 'old_string', 'new_string', 'replace_all').length === 0
        ? toEdits(args, [args], json)
        : json;
    case 'MultiEdit':
      return rest('file_path', 'edits').length === 0 && Array.isArray(args.edits)
        ? toEdits(args, args.edits, json)
        : json;
    case 'WebFetch': {
      const { url, prompt } = args;
      const isWhole = typeof url === 'string' && URL.canParse(url) && rest('url', 'prompt').length === 0;
      if (!isWhole || (prompt !== undefined && typeof prompt !== 'string')) return json;
      return {
        kind: 'text',
        text: [`Host: ${new URL(url).host}`, `Address: ${oneLine(url)}`, ...(prompt ? ['', prompt] : [])].join('\n'),
      };
    }
    case 'ExitPlanMode':
      return typeof args.plan === 'string' ? { kind: 'markdown', text: args.plan } : json; // `toDetails` shows the rest
    default:
      return json;
  }
}

/**
 * Lists the arguments, by name, that a subject of one text does not show: some of them widen what is allowed.
 * @param folder - of the call, if people should know it
 */
export function toDetails(tool: string, args: Args, folder?: string): string[] {
  const shown = shownBy(tool, args);
  const others = shown === 'all' ? [] : Object.entries(args).filter(([name]) => !shown.includes(name));
  const details = others.map(([name, value]) => `${oneLine(name)}: ${JSON.stringify(value)}.`);
  return folder === undefined ? details : [...details, `Folder: ${oneLine(folder)}.`];
}

/**
 * Returns the arguments that the subject shows or that do not affect what runs. Never a list that grows with the arguments
 * (SEC6).
 */
function shownBy(tool: string, args: Args): readonly string[] | 'all' {
  if (tool === 'Bash') return ['command', 'description'];
  return tool === 'ExitPlanMode' && typeof args.plan === 'string' ? ['plan'] : 'all';
}

function toEdits({ file_path: path }: Args, edits: readonly unknown[], otherwise: Subject): Subject {
  const hunks = edits.map((edit) => {
    if (!isRecord(edit)) return undefined;
    const { old_string: before, new_string: after, replace_all: isEvery = false } = edit;
    if (typeof before !== 'string' || typeof after !== 'string' || typeof isEvery !== 'boolean') return undefined;
    return toHunk(before, after, isEvery ? ' every occurrence' : '');
  });
  const isWhole = typeof path === 'string' && hunks.length > 0;
  return isWhole && hunks.every((hunk) => hunk !== undefined) ? diff(path, hunks as string[]) : otherwise;
}

function diff(path: string, hunks: readonly string[]): Subject {
  const name = oneLine(path);
  return { kind: 'diff', text: [`--- ${name}`, `+++ ${name}`, ...hunks].join('\n') };
}

/** Shows the whole new content, because the file's present content is unknown. */
function toWrite(content: string): string {
  if (content === '') return '@@ -0,0 +0,0 @@ the whole file: empty';
  const lines = content.split('\n');
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  const added = lines.map((line) => `+${line}`);
  const mark = isEnded ? [] : ['\\ No newline at end of file'];
  return [`@@ -0,0 +1,${lines.length} @@ the whole file`, ...added, ...mark].join('\n');
}

/** Returns one change as a hunk. Its position in the file is unknown, so lines count from 1. */
function toHunk(before: string, after: string, note: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shortest && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const mark = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line);
  return [
    `@@ -1,${old.length} +1,${fresh.length} @@${note}`,
    ...mark(' ', old.slice(0, head)),
    ...mark('-', old.slice(head, old.length - tail)),
    ...mark('+', fresh.slice(head, fresh.length - tail)),
    ...mark(' ', old.slice(old.length - tail)),
  ].join('\n');
}

/** Escapes line breaks, so that a path or an address cannot add a line to what is shown. */
function oneLine(text: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) ? JSON.stringify(text) : text;
}
