import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '@parleyhq/core';
import { SettingsError } from '@parleyhq/server';
import type { JSONPath } from 'jsonc-parser';
import { type AskingProgram, type Door, variableOf } from './asking-program.ts';
import { insertMember, removeMember } from './json-text.ts';
import type { SettingsFile } from './settings-file.ts';

type Members = Readonly<Record<string, unknown>>;

/** Claude Code asks by its hooks, in a file of JSON. */
export const claudeCode: AskingProgram = {
  name: 'Claude Code',
  findSettings: ({ CLAUDE_CONFIG_DIR, HOME }) =>
    join(CLAUDE_CONFIG_DIR || join(HOME || homedir(), '.claude'), 'settings.json'),
  describe: (door) => JSON.stringify({ hooks: makeHooks(door) }, undefined, 2),
  isBlank: (text) => text === blank,
  read(file) {
    const members = readMembers(file);
    const others = removeHooks(members);
    const kept = () => findOurs(members).reduceRight(removeMember, file.text ?? blank);
    return {
      tokens: findTokens(members),
      connect: (door) => {
        const hooks = makeHooks(door);
        return check(insertHooks(kept(), others, hooks), addHooks(others, hooks), file);
      },
      disconnect: () => (others === members ? (file.text ?? '') : check(kept(), others, file)),
    };
  },
};

const blank = '{}\n';

/** In s: how long Claude Code waits for each. It may wait for a person, and for nobody else. */
const timeouts = {
  PermissionRequest: 7 * 24 * 3600,
  PreToolUse: 5,
  PostToolUse: 5,
  PostToolUseFailure: 5,
  Stop: 5,
  SubagentStop: 5,
  SessionEnd: 5,
} as const;

/** @throws SettingsError where it is no JSON object, or has hooks of another form than Claude Code's */
function readMembers({ path, text }: SettingsFile): Members {
  if (text === undefined) return {};
  const members = parse(text);
  const isFit = isRecord(members) && isRecord(members.hooks ?? {}) && Object.values(members.hooks ?? {}).every(isList);
  if (!isFit)
    throw new SettingsError(`${path} is not a settings file that Claude Code could read: it was left as it is.`);
  return members;
}

/** The hooks that ask at this door. */
function makeHooks(door: Door): Record<string, readonly Members[]> {
  const { url, token } = door;
  const variable = variableOf(door);
  const toHook = (timeout: number) => ({
    ...{ type: 'http', url: `${url}${hookPath}`, timeout },
    headers: { Authorization: `Bearer ${token}` },
    ...(variable !== undefined && { allowedEnvVars: [variable] }),
  });
  const entries = Object.entries(timeouts).map(([event, timeout]) => {
    const matcher = /Tool|Permission/.test(event) ? { matcher: '*' } : {};
    return [event, [{ ...matcher, hooks: [toHook(timeout)] }]] as const;
  });
  return Object.fromEntries(entries);
}

/** With these hooks behind those that are there. */
function addHooks(members: Members, added: Record<string, readonly Members[]>): Members {
  const hooks: Record<string, unknown> = { ...hooksOf(members) };
  for (const [event, groups] of Object.entries(added)) hooks[event] = [...listOf(hooks[event]), ...groups];
  return { ...members, hooks };
}

/** Without the hooks that ask a Parley server, and without what they leave empty. */
function removeHooks(members: Members): Members {
  const { hooks: _, ...others } = members;
  const entries = Object.entries(hooksOf(members)).flatMap(([event, groups]) => {
    const left = listOf(groups).flatMap((group) => {
      const [all, kept] = [handlersOf(group), handlersOf(group).filter((handler) => !isOurs(handler))];
      if (all.length === kept.length) return [group];
      return kept.length === 0 ? [] : [{ ...(group as Members), hooks: kept }];
    });
    return left.length === 0 && listOf(groups).length > 0 ? [] : [[event, left] as const];
  });
  const isChanged = findTokens(members).length > 0;
  if (!isChanged) return members;
  return entries.length === 0 ? others : { ...members, hooks: Object.fromEntries(entries) };
}

/** The tokens of the hooks that ask a Parley server, each once. */
function findTokens(members: Members): readonly string[] {
  const groups = Object.values(hooksOf(members)).flatMap(listOf);
  const tokens = groups.flatMap(handlersOf).flatMap((handler) => (isOurs(handler) ? [tokenOf(handler)] : []));
  return [...new Set(tokens)];
}

/** Where our hooks are, and what would be empty without them, in the order of the text. */
function findOurs(members: Members): readonly JSONPath[] {
  const inGroup = (path: JSONPath, group: unknown) =>
    within(path, [...handlersOf(group).entries()], (_, handler) => (isOurs(handler) ? 'all' : []));
  const inEvent = (path: JSONPath, groups: unknown) =>
    within(path, [...listOf(groups).entries()], (place, group) => inGroup([...place, 'hooks'], group));
  const ours = within(['hooks'], Object.entries(hooksOf(members)), inEvent);
  return ours === 'all' ? [['hooks']] : ours;
}

/** All of a value is ours, or these parts. */
type Ours = 'all' | readonly JSONPath[];

function within<Part>(
  path: JSONPath,
  parts: readonly (readonly [string | number, Part])[],
  find: (place: JSONPath, part: Part) => Ours,
): Ours {
  const found = parts.map(([name, part]) => {
    const place = [...path, name];
    return { place, ours: find(place, part) };
  });
  if (found.length > 0 && found.every(({ ours }) => ours === 'all')) return 'all';
  return found.flatMap(({ place, ours }) => (ours === 'all' ? [place] : ours));
}

/** The text with these hooks behind those that are there. */
function insertHooks(text: string, members: Members, added: Record<string, readonly Members[]>): string {
  if (!('hooks' in members)) return insertMember(text, ['hooks'], added);
  const hooks = hooksOf(members);
  return Object.entries(added).reduce((whole, [event, groups]) => {
    if (!(event in hooks)) return insertMember(whole, ['hooks', event], groups);
    return groups.reduce((each, group) => insertMember(each, ['hooks', event, -1], group), whole);
  }, text);
}

/** The text, if it says what was meant and nothing else. @throws SettingsError for one that says some of it twice */
function check(text: string, meant: Members, { path }: SettingsFile): string {
  if (isDeepStrictEqual(parse(text), meant)) return text;
  throw new SettingsError(
    `${path} cannot be changed without touching more of it, for instance because it says something twice: it was left as it is. Change it by hand, as --print shows.`,
  );
}

const hookPath = '/hooks/claude';

/** A hook that Parley wrote, or that somebody wrote as its documents say. */
function isOurs(handler: unknown): handler is { headers: { Authorization: string } } {
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
