import { ExitError, type SettingsFile, type SubcommandContext } from '@parleyhq/core';
import { CodexConfig, codex, lostTrust, unknownTrust } from './codex-config.ts';
import { findCodexHook } from './codex-trust.ts';

/**
 * `parley connect codex`: the permission requests of Codex appear here first, and Codex can ask people (ASK7). With `--live` they
 * appear here and in the terminal at once (ACP5).
 */
export async function connect(context: SubcommandContext): Promise<void> {
  if (context.options.live) return (await import('./live/run.ts')).attach(context);
  if (context.options.socket) throw new ExitError(2, '--socket: goes with --live.');
  const file = await context.connect(codex);
  if (file) await trustHook(file, context);
}

export function disconnect(context: SubcommandContext): Promise<void> {
  return context.disconnect(codex);
}

/**
 * Marks the hook as trusted after an explicit yes, unless Codex trusts it as it is: Codex skips a hook that its user does not trust.
 * @throws Error
 */
async function trustHook(file: SettingsFile, { options, confirm, print }: SubcommandContext): Promise<void> {
  const config = new CodexConfig(file);
  const known = config.hasTrust ? await findCodexHook(file.path) : undefined;
  if (known && config.isTrusted(known)) return print('Codex trusts the hook.\n');
  if (config.hasTrust && !known && !options.trust) return print(`${unknownTrust}\n`);
  const why = known ? lostTrust : 'Codex runs a hook only once you trust it.';
  const isWanted = options.trust || (await confirm(`${why}\n`, 'Trust it now?'));
  const hook = isWanted ? (known ?? (await findCodexHook(file.path))) : undefined;
  if (hook) file.write(config.trust(hook));
  else if (options.trust)
    throw new Error(
      `No "codex app-server" names the hook of ${file.path}: it is written, and not marked as trusted. ${byHand}`,
    );
  print(hook ? 'Codex trusts the hook.\n' : `${why} ${byHand}\n`);
}

const byHand = 'Type /hooks in Codex to trust it.';
