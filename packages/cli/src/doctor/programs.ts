import type { AskingProgram, ProgramSettings, TokenStore } from '@parleyhq/core';
import { hashToken } from '@parleyhq/server';
import { readSettingsFile } from '../connect/settings-file.ts';
import { shippedCommands } from '../plugin-commands/shipped-commands.ts';
import { type Finding, fault, note, ok, wordsOf } from './finding.ts';

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
    const file = readSettingsFile(program.findSettings(env));
    const settings = program.read(file);
    if (settings.tokens.length === 0) return [ok(subject, `It does not ask here: ${command} connects it.`)];
    const findings = [
      ...(settings.faults ?? []).map((words) => fault(subject, 'program-settings', `${file.path}: ${words}`)),
      ...(server ? await findAccessFaults(subject, settings, { ...server, command, env }) : []),
    ];
    return findings.length > 0 ? findings : [ok(subject, `${file.path} lets it ask at ${settings.urls?.join(', ')}.`)];
  } catch (error) {
    const isOfOther = isUnreadable(error);
    return [(isOfOther ? note : fault)(subject, 'program-settings', wordsOf(error))];
  }
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
