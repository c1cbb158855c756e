import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type AskingProgram, ExitError, isRecord, type ServerAccess, type SettingsFile } from '@parleyhq/core';
import type { JSONPath } from 'jsonc-parser';
import { insertMember, removeMember } from './json-text.ts';

type Members = Readonly<Record<string, unknown>>;
type TextFile = Pick<SettingsFile, 'path' | 'text'>;

/** For people: what the hooks see, whatever mode Claude Code is in. */
const whatIsAsked = `People are then asked here:
- what Claude Code asks in its terminal, in any mode, and its own questions: the first answer counts;
- in auto mode, whether a call that it refused may be tried once;
- in every mode, about the calls for which a policy of the server has the effect "ask", such as Bash(*git*push*);
- what an MCP server of Claude Code wants to know. The terminal shows that if nobody answers within a minute, or nobody is here.
In auto mode, without such policies, Claude Code seldom asks. The other hooks close cards, and show what it waits for.
`;

/** Claude Code asks through HTTP hooks, which are in a JSON settings file. */
export const claudeCode: AskingProgram = {
  name: 'Claude Code',
  command: 'claude',
  oldest: '2.1.89', // the first with all events below; `http` hooks came with 2.1.63
  findSettings: ({ CLAUDE_CONFIG_DIR, HOME }) =>
    join(CLAUDE_CONFIG_DIR || join(HOME || homedir(), '.claude'), 'settings.json'),
  findOthers: (folder) => [
    ...['settings.json', 'settings.local.json'].map((name) => join(folder, '.claude', name)),
    join(managedFolder, 'managed-settings.json'),
  ],
  describe: (door) => JSON.stringify({ hooks: makeHooks(door) }, undefined, 2),
  about: whatIsAsked,
  readsChanges: true,
  read(file) {
    const members = readMembers(file);
    const others = removeHooks(members);
    const kept = () => findOurs(members).reduceRight(removeMember, file.text ?? blank);
    return {
      tokens: findTokens(members),
      urls: findUrls(members),
      faults: findFaults(members),
      mode: findMode(members),
      connect: (door) => {
        const hooks = makeHooks(door);
        return check(insertHooks(kept(), others, hooks), addHooks(others, hooks), file);
      },
      disconnect: () => {
        const text = others === members ? file.text : check(kept(), others, file);
        return text === blank ? undefined : text;
      },
    };
  },
};

/** Where `connect` begins if there is no file. Nobody else's ends so: that is how `disconnect` knows which it may delete. */
const blank = '{}\n\n';

/** Where administrators keep settings that nobody else can change. */
const managedFolder =
  { darwin: '/Library/Application Support/ClaudeCode', win32: 'C:\\Program Files\\ClaudeCode' }[
    process.platform as string
  ] ?? '/etc/claude-code';

/** The variable of Claude Code that says how it was started. */
const entrypoint = 'CLAUDE_CODE_ENTRYPOINT';

const week = 7 * 24 * 3600;

/**
 * How long Claude Code waits for each hook, in s. Only three wait for people, and two of them hold up what it does: the server
 * ends these waits itself.
 */
const timeouts = {
  PermissionRequest: week,
  PermissionDenied: 600,
  Elicitation: week,
  PreToolUse: 5,
  PostToolUse: 5,
  PostToolUseFailure: 5,
  Notification: 5,
  Stop: 5,
  SubagentStop: 5,
  SessionEnd: 5,
} as const;

/** Parses the file. @throws ExitError if it is not a JSON object, or its hooks do not have the form that Claude Code reads */
function readMembers({ path, text }: TextFile): Members {
  if (text === undefined) return {};
  const members = parse(text);
  const isFit = isRecord(members) && isRecord(members.hooks ?? {}) && Object.values(members.hooks ?? {}).every(isList);
  if (!isFit)
    throw new ExitError(2, `${path} is not a settings file that Claude Code could read: it was left as it is.`);
  return members;
}

/** Returns the hooks that ask this server, by event. */
function makeHooks({ url, token, variable }: ServerAccess): Record<string, readonly Members[]> {
  const entries = Object.entries(timeouts).map(([event, timeout]) => {
    const matcher = /Tool|Permission/.test(event) ? { matcher: '*' } : {};
    const isElicitation = event === 'Elicitation'; // the server waits longer if there is no terminal
    const allowedEnvVars = [...(variable === undefined ? [] : [variable]), ...(isElicitation ? [entrypoint] : [])];
    const hook = {
      ...{ type: 'http', url: `${url}${hookPath}`, timeout },
      headers: { Authorization: `Bearer ${token}`, ...(isElicitation && { 'Claude-Entrypoint': `$${entrypoint}` }) },
      ...(allowedEnvVars.length > 0 && { allowedEnvVars }),
    };
    return [event, [{ ...matcher, hooks: [hook] }]] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the settings with these hooks added after the existing ones. */
function addHooks(members: Members, added: Record<string, readonly Members[]>): Members {
  const hooks: Record<string, unknown> = { ...hooksOf(members) };
  for (const [event, groups] of Object.entries(added)) hooks[event] = [...listOf(hooks[event]), ...groups];
  return { ...members, hooks };
}

/** Returns the settings without the hooks that ask a Parley server, and without groups and events that this leaves empty. */
function removeHooks(members: Members): Members {
  const { hooks: _, ...others } = members;
  const entries = Object.entries(hooksOf(members)).flatMap(([event, groups]) => {
    const left = listOf(groups).flatMap((group) => {
      const [all, kept] = [handlersOf(group), handlersOf(group).filter((handler) => !isOurs(handler))];
      if (all.length === kept.length) return [group];
      return kept.length === 0 ? [] : [{ ...(group as Members), hooks: kept }];
    });
    const isGone = left.length === 0 && listOf(groups).length > 0 && !wasEmptyList(groups);
    return isGone ? [] : [[event, left] as const];
  });
  const isChanged = findTokens(members).length > 0;
  if (!isChanged) return members;
  const isGone = entries.length === 0 && !wasEmptyObject(members);
  return isGone ? others : { ...members, hooks: Object.fromEntries(entries) };
}

/** The distinct tokens of the hooks that ask a Parley server. */
function findTokens(members: Members): readonly string[] {
  const groups = Object.values(hooksOf(members)).flatMap(listOf);
  const tokens = groups.flatMap(handlersOf).flatMap((handler) => (isOurs(handler) ? [tokenOf(handler)] : []));
  return [...new Set(tokens)];
}

/** The distinct addresses of the servers that our hooks ask. */
function findUrls(members: Members): readonly string[] {
  const handlers = Object.values(hooksOf(members)).flatMap(listOf).flatMap(handlersOf).filter(isOurs);
  return [...new Set(handlers.map(({ url }) => url.slice(0, -hookPath.length)))];
}

/** What in the settings keeps Claude Code from asking although it has our hooks. */
function findFaults(members: Members): readonly string[] {
  const { disableAllHooks, allowManagedHooksOnly } = members;
  return [
    ...(disableAllHooks === true ? ['"disableAllHooks" is true: no hook runs.'] : []),
    ...(allowManagedHooksOnly === true && findTokens(members).length === 0
      ? ['"allowManagedHooksOnly" is true: only hooks in this file run.']
      : []),
    ...(silentModes[findMode(members) ?? ''] ?? []),
    ...(findTokens(members).length > 0 && !listOf(hooksOf(members).PermissionRequest).flatMap(handlersOf).some(isOurs)
      ? ['The hook for "PermissionRequest" is missing, which asks what the terminal asks: connect once more.']
      : []),
  ];
}

/** Modes in which people are asked nothing. */
const silentModes: Readonly<Record<string, readonly string[]>> = {
  bypassPermissions: ['"defaultMode" is "bypassPermissions": nobody is asked.'],
  dontAsk: ['"defaultMode" is "dontAsk": what no rule allows is refused, and nobody is asked.'],
};

function findMode({ permissions }: Members): string | undefined {
  const { defaultMode } = isRecord(permissions) ? permissions : {};
  return typeof defaultMode === 'string' ? defaultMode : undefined;
}

/**
 * Paths of our hooks in text order; if a group, an event or all of `hooks` has only ours, the path of that instead, unless it was
 * empty before.
 */
function findOurs(members: Members): readonly JSONPath[] {
  const inGroup = (path: JSONPath, group: unknown) =>
    within(path, [...handlersOf(group).entries()], (_, handler) => (isOurs(handler) ? 'all' : []));
  const inEvent = (path: JSONPath, groups: unknown) =>
    within(
      path,
      [...listOf(groups).entries()],
      (place, group) => inGroup([...place, 'hooks'], group),
      wasEmptyList(groups),
    );
  const events = Object.entries(hooksOf(members));
  const ours = within(['hooks'], events, inEvent, wasEmptyObject(members));
  return ours === 'all' ? [['hooks']] : ours;
}

/** Whether a whole value is ours, or the paths of its parts that are. */
type Ours = 'all' | readonly JSONPath[];

function within<Part>(
  path: JSONPath,
  parts: readonly (readonly [string | number, Part])[],
  find: (place: JSONPath, part: Part) => Ours,
  stays = false,
): Ours {
  const found = parts.map(([name, part]) => {
    const place = [...path, name];
    return { place, ours: find(place, part) };
  });
  if (!stays && found.length > 0 && found.every(({ ours }) => ours === 'all')) return 'all';
  return found.flatMap(({ place, ours }) => (ours === 'all' ? [place] : ours));
}

/** Returns the text with these hooks inserted after the existing ones. */
function insertHooks(text: string, members: Members, added: Record<string, readonly Members[]>): string {
  if (!('hooks' in members)) return insertMember(text, ['hooks'], added);
  const hooks = hooksOf(members);
  const events = Object.entries(added);
  const ordered = Object.keys(hooks).length === 0 ? rememberEmptyObject(events) : events;
  return ordered.reduce((whole, [event, groups]) => {
    if (!(event in hooks)) return insertMember(whole, ['hooks', event], groups);
    const ours = listOf(hooks[event]).length === 0 ? groups.map(rememberEmptyList) : groups;
    return ours.reduce<string>((each, group) => insertMember(each, ['hooks', event, -1], group), whole);
  }, text);
}

/** Marks a group as added to an empty list, by the order of its hooks' members, which means nothing to Claude Code. */
function rememberEmptyList(group: Members): Members {
  return { ...group, hooks: handlersOf(group).map((handler) => ({ url: undefined, ...(handler as Members) })) };
}

/** Whether the list of an event was there and empty before `connect` added to it. */
function wasEmptyList(groups: unknown): boolean {
  const handlers = listOf(groups).flatMap(handlersOf);
  return handlers.length > 0 && handlers.every((handler) => isOurs(handler) && Object.keys(handler)[0] === 'url');
}

/** Marks the events as added to an empty `hooks`, by their order, which means nothing to Claude Code. */
function rememberEmptyObject<Entry>(events: readonly Entry[]): readonly Entry[] {
  return events.toReversed();
}

/** Whether `hooks` was there and empty before `connect` added to it. */
function wasEmptyObject(members: Members): boolean {
  const names = Object.keys(timeouts);
  const places = Object.keys(hooksOf(members)).map((event) => names.indexOf(event));
  return places.length > 1 && places.every((place, at) => place > (places[at + 1] ?? -1));
}

/** Returns the text if it parses to what was meant. @throws ExitError otherwise, for instance if a member occurs twice */
function check(text: string, meant: Members, { path }: TextFile): string {
  if (isDeepStrictEqual(parse(text), meant)) return text;
  throw new ExitError(
    2,
    `${path} cannot be changed without touching more of it, for instance because a member occurs twice: it was left as it is. Change it by hand, as --print shows.`,
  );
}

const hookPath = '/hooks/claude';

/** Whether a hook was written by `parley connect`, or by hand as the documentation describes. */
function isOurs(handler: unknown): handler is { url: string; headers: { Authorization: string } } {
  if (!isRecord(handler) || handler.type !== 'http' || !isRecord(handler.headers)) return false;
  const { url, headers } = handler;
  return String(url).endsWith(hookPath) && /^Bearer (parley_|\$PARLEY_)/.test(String(headers.Authorization));
}

function tokenOf({ headers }: { headers: { Authorization: string } }): string {
  return headers.Authorization.slice('Bearer '.length);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hooksOf({ hooks }: Members): Members {
  return isRecord(hooks) ? hooks : {};
}

function handlersOf(group: unknown): readonly unknown[] {
  return isRecord(group) ? listOf(group.hooks) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
