import { join, sep } from 'node:path';
import type { AskingProgram, ProgramSettings, TokenStore } from '@parleyhq/core';
import { hashToken } from '@parleyhq/server';
import { readSettingsFile } from '../connect/settings-file.ts';
import { shippedCommands } from '../plugin-commands/shipped-commands.ts';
import { type Finding, fault, note, ok, wordsOf } from './finding.ts';
import { findVersion, judgeVersion } from './program-version.ts';

/** The server here, as a connected program would have it. */
export interface OwnServer {
  /** Addresses of it, without slashes at their ends. */
  readonly urls: readonly string[];
  readonly tokens: TokenStore;
}

/** Examines the programs that `parley connect` sets up: whether their files let them ask this server. */
export async function examinePrograms(
  server: OwnServer | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
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
  server: OwnServer | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const { name: subject } = program;
  try {
    const files = readFiles(program, env);
    const connected = files.filter(({ settings }) => settings.tokens.length > 0);
    if (connected.length === 0) return [ok(subject, `It does not ask here: ${command} connects it.`)];
    const version = await findVersion(program.command, env);
    const access = await Promise.all(
      connected.map(({ settings }) => (server ? findAccessFaults(subject, settings, { ...server, command, env }) : [])),
    );
    const findings = [
      ...files.flatMap(({ path, settings: { faults = [] } }) =>
        faults.map((words) => fault(subject, 'program-settings', `${path}: ${words}`)),
      ),
      ...access.flat(),
      ...judgeVersion(program, version),
    ];
    return findings.length > 0 ? findings : [ok(subject, describe(program, files, version))];
  } catch (error) {
    const isOfOther = isUnreadable(error);
    return [(isOfOther ? note : fault)(subject, 'program-settings', wordsOf(error))];
  }
}

interface ReadFile {
  readonly path: string;
  /** The only folder in which it applies; undefined for all. */
  readonly folder: string | undefined;
  readonly settings: ProgramSettings;
}

/** Reads the settings files that apply in this folder, the user's own first. @throws Error if one cannot be read */
function readFiles(program: AskingProgram, env: Readonly<Record<string, string | undefined>>): readonly ReadFile[] {
  const folder = process.cwd();
  const own = program.findSettings(env);
  const others = program.findOthers?.(folder).filter((path) => path !== own) ?? [];
  return [own, ...others].map((given) => {
    const file = readSettingsFile(given);
    const isOfFolder = given !== own && given.startsWith(join(folder, sep));
    return { path: file.path, folder: isOfFolder ? folder : undefined, settings: program.read(file) };
  });
}

function describe({ command }: AskingProgram, files: readonly ReadFile[], version: string | undefined): string {
  const access = files
    .filter(({ settings }) => settings.tokens.length > 0)
    .map(({ path, folder, settings: { urls = [] } }) => {
      return `${path} lets it ask at ${urls.join(', ')}${folder === undefined ? ', in every folder' : ', in this folder'}.`;
    });
  const mode = files.findLast(({ settings }) => settings.mode !== undefined)?.settings.mode;
  const start = mode === undefined ? '' : ` It starts in the mode ${mode}.`;
  const age = version === undefined ? `${command} --version printed none here` : version;
  return `${access.join(' ')}${start} Version: ${age}.`;
}

/** Whether this user may not read a file: under `runuser` or `sudo`, the home folder is that of somebody else. */
function isUnreadable(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || (cause instanceof Error && isUnreadable(cause));
}

interface Access extends OwnServer {
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function findAccessFaults(
  subject: string,
  { tokens, urls = [] }: ProgramSettings,
  access: Access,
): Promise<readonly Finding[]> {
  const foreign = urls.filter((url) => !access.urls.includes(url));
  if (foreign.length > 0) {
    const words = `It asks at ${foreign.join(', ')}, and the server here has ${access.urls.join(', ')}: ${access.command} changes that.`;
    return [fault(subject, 'program-elsewhere', words)];
  }
  const states = await Promise.all(tokens.map((token) => isKnown(fill(token, access.env), access.tokens)));
  if (states.every((state) => state)) return [];
  const words = `The token in its settings may not ask here: it was revoked, has expired, or is of another server. ${access.command} writes a new one.`;
  return [fault(subject, 'program-token', words)];
}

/** Replaces `$NAME` by that variable. */
function fill(token: string, env: Access['env']): string {
  return token.startsWith('$') ? (env[token.slice(1)] ?? '') : token;
}

async function isKnown(token: string, store: TokenStore): Promise<boolean> {
  return (await store.find({ hash: hashToken(token) }, Date.now()))?.role === 'asker';
}
