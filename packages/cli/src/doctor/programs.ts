import { join, sep } from 'node:path';
import type { AskingProgram, ProgramSettings, SettingsFile, TokenStore } from '@parleyhq/core';
import { hashToken } from '@parleyhq/server';
import { readSettingsFile } from '../connect/settings-file.ts';
import { shippedCommands } from '../plugin-commands/shipped-commands.ts';
import { type Finding, fault, note, ok, wordsOf } from './finding.ts';
import { type FoundVersion, findVersion, judgeVersion } from './program-version.ts';
import { NoReplyError, request } from './request.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The server that connected programs are expected to ask. */
export interface ExpectedServer {
  /** Its addresses, without slashes at their ends; none if it is not known. */
  readonly urls: readonly string[];
  /** Its tokens, if its data is here; otherwise it is asked. */
  readonly tokens?: TokenStore;
}

/** Examines the programs that `parley connect` sets up: whether their files let them ask, and ask this server. */
export async function examinePrograms(server: ExpectedServer, env: Environment): Promise<readonly Finding[]> {
  const commands = shippedCommands.filter(({ name, program }) => program && name.startsWith('connect '));
  const found = await Promise.all(
    commands.map(async ({ name, program }) => {
      const asking = await program?.();
      return asking ? examineProgram(asking, `parley ${name}`, server, env) : [];
    }),
  );
  return found.flat();
}

async function examineProgram(
  program: AskingProgram,
  command: string,
  server: ExpectedServer,
  env: Environment,
): Promise<readonly Finding[]> {
  const { name: subject } = program;
  try {
    const files = readFiles(program, env);
    const connected = files.filter(({ settings }) => settings.tokens.length > 0);
    if (connected.length === 0) return [ok(subject, `It does not ask here: ${command} connects it.`)];
    const [version, own] = await Promise.all([
      findVersion(program.command, env),
      Promise.all(connected.map((file) => examineFile(program, file))),
    ]);
    const access = await Promise.all(
      connected.map(({ settings }) => examineAccess(subject, settings, { ...server, command, env })),
    );
    const findings = [
      ...files.flatMap(({ path, settings: { faults = [] } }) =>
        faults.map((words) => fault(subject, 'program-settings', `${path}: ${words}`)),
      ),
      ...own.flat(),
      ...access.flat(),
      ...judgeVersion(program, version),
    ];
    const isSound = findings.every(({ level }) => level === 'note');
    return isSound ? [ok(subject, describe(files, version)), ...findings] : findings;
  } catch (error) {
    const isOfOther = isUnreadable(error);
    return [(isOfOther ? note : fault)(subject, 'program-settings', wordsOf(error))];
  }
}

interface ReadFile extends Pick<SettingsFile, 'path' | 'text'> {
  /** The only folder in which it applies; undefined for all. */
  readonly folder: string | undefined;
  readonly settings: ProgramSettings;
}

/** Reads the settings files that apply in this folder, the user's own first. @throws Error if one cannot be read */
function readFiles(program: AskingProgram, env: Environment): readonly ReadFile[] {
  const folder = process.cwd();
  const own = program.findSettings(env);
  const others = program.findOthers?.(folder).filter((path) => path !== own) ?? [];
  return [own, ...others].map((given) => {
    const file = readSettingsFile(given);
    const isOfFolder = given !== own && given.startsWith(join(folder, sep));
    return { path: file.path, text: file.text, folder: isOfFolder ? folder : undefined, settings: program.read(file) };
  });
}

/** Finds what only the program itself knows about a file. */
async function examineFile(program: AskingProgram, { path, text }: ReadFile): Promise<readonly Finding[]> {
  const { faults, notes } = (await program.examine?.({ path, text })) ?? { faults: [], notes: [] };
  return [
    ...faults.map((words) => fault(program.name, 'program-settings', `${path}: ${words}`)),
    ...notes.map((words) => note(program.name, 'program-settings', `${path}: ${words}`)),
  ];
}

function describe(files: readonly ReadFile[], found: FoundVersion): string {
  const access = files
    .filter(({ settings }) => settings.tokens.length > 0)
    .map(({ path, folder, settings: { urls = [] } }) => {
      return `${path} lets it ask at ${urls.join(', ')}${folder === undefined ? ', in every folder' : ', in this folder'}.`;
    });
  const mode = files.findLast(({ settings }) => settings.mode !== undefined)?.settings.mode;
  const start = mode === undefined ? '' : ` It starts in the mode ${mode}.`;
  const age = 'version' in found ? `Version: ${found.version}.` : `Its version is not known (${found.unknown}).`;
  return `${access.join(' ')}${start} ${age}`;
}

/** Whether this user may not read a file: under `runuser` or `sudo`, the home folder is that of somebody else. */
function isUnreadable(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || (cause instanceof Error && isUnreadable(cause));
}

interface Access extends ExpectedServer {
  readonly command: string;
  readonly env: Environment;
}

async function examineAccess(
  subject: string,
  { tokens, urls = [] }: ProgramSettings,
  access: Access,
): Promise<readonly Finding[]> {
  const filled = tokens.map((token) => fill(token, access.env));
  const found = await Promise.all(urls.map((url) => examineUrl(subject, url, filled, access)));
  return found.flat();
}

async function examineUrl(
  subject: string,
  url: string,
  tokens: readonly string[],
  { urls, tokens: store, command }: Access,
): Promise<readonly Finding[]> {
  const isExpected = urls.includes(url);
  try {
    const states = await Promise.all(
      tokens.map((token) => (isExpected && store ? isStored(token, store) : isAccepted(token, url))),
    );
    if (!states.every((state) => state)) {
      const words = `The token in its settings may not ask at ${url}: it was revoked, has expired, or is of another server. ${command} writes a new one.`;
      return [fault(subject, 'program-token', words)];
    }
    if (isExpected || urls.length === 0) return [];
    return [
      note(subject, 'program-elsewhere', `It asks at ${url}, and not at ${urls.join(', ')}: ${command} changes that.`),
    ];
  } catch (error) {
    if (!(error instanceof NoReplyError)) throw error;
    const words = `It asks at ${url}, where nothing answers (${error.message}): start that server, or ${command} names another.`;
    return [fault(subject, 'program-elsewhere', words)];
  }
}

/** Replaces `$NAME` by that variable. */
function fill(token: string, env: Environment): string {
  return token.startsWith('$') ? (env[token.slice(1)] ?? '') : token;
}

async function isStored(token: string, store: TokenStore): Promise<boolean> {
  return (await store.find({ hash: hashToken(token) }, Date.now()))?.role === 'asker';
}

/** Whether a server takes a token, for whatever it is good. @throws NoReplyError */
async function isAccepted(token: string, url: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  return (await request(`${url}/api/interactions`, { headers })).status !== 401;
}
