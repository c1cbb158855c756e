import { askAtTerminal } from '../io/ask-person.ts';
import { CodexConfig, codex } from './codex-config.ts';
import { findCodexHook } from './codex-trust.ts';
import { type ConnectFlags, connectProgram, type DisconnectFlags, disconnectProgram } from './connect.ts';
import { readSettingsFile, writeSettingsFile } from './settings-file.ts';

export interface TrustFlags {
  readonly trust?: boolean;
}

/** `parley connect codex`: the permission requests of Codex appear here first, and Codex can ask people (ASK7). */
export async function connectCodex(flags: ConnectFlags & TrustFlags): Promise<void> {
  await connectProgram(codex, flags);
  if (!flags.print) await trustHook(flags);
}

export function disconnectCodex(flags: DisconnectFlags): Promise<void> {
  return disconnectProgram(codex, flags);
}

/** Marks the hook as trusted after an explicit yes: Codex silently skips a hook that its user does not trust. @throws Error */
async function trustHook({ trust = false, settings }: DisconnectFlags & TrustFlags): Promise<void> {
  const file = readSettingsFile(settings ?? codex.findSettings(process.env));
  const config = new CodexConfig(file);
  if (config.isTrusted) return;
  const ask = askAtTerminal('Trust it now?');
  const isWanted = trust || (await ask?.('Codex runs a hook only once you trust it.\n'));
  const hook = isWanted ? await findCodexHook(file.path) : undefined;
  if (hook) writeSettingsFile(file, config.trust(hook));
  else if (trust) throw new Error(`"codex app-server" does not name the hook of ${file.path}. ${byHand}`);
  process.stdout.write(hook ? 'Codex trusts the hook.\n' : `Codex runs the hook only once you trust it. ${byHand}\n`);
}

const byHand = 'Type /hooks in Codex to trust it.';
