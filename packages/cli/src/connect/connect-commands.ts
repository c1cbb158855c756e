import type { Command } from 'commander';
import { exampleText } from '../io/example-text.ts';
import type { Report } from '../io/report.ts';
import type { ConnectFlags, DisconnectFlags } from './connect.ts';
import type { TrustFlags } from './connect-codex.ts';

/** Adds `parley connect` and `parley disconnect`, which let other programs ask people here (ASK7). */
export function addConnections(program: Command, report: Report): void {
  const connect = program.command('connect').description('let another program ask people here');
  const disconnect = program.command('disconnect').description('undo parley connect');
  addConnect(connect, 'claude', 'Claude Code: its permission prompts appear here, too').action((flags: ConnectFlags) =>
    report(async () => (await import('./connect-claude.ts')).connectClaude(flags)),
  );
  addConnect(connect, 'codex', 'Codex: its permission prompts appear here first, and it can ask people')
    .option('--trust', 'mark the hook as trusted, as /hooks in Codex does')
    .action((flags: ConnectFlags & TrustFlags) =>
      report(async () => (await import('./connect-codex.ts')).connectCodex(flags)),
    );
  addDisconnect(disconnect, 'claude', 'Claude Code: removes its hooks and revokes their token').action(
    (flags: DisconnectFlags) => report(async () => (await import('./connect-claude.ts')).disconnectClaude(flags)),
  );
  addDisconnect(disconnect, 'codex', 'Codex: removes its hook and MCP server and revokes their token').action(
    (flags: DisconnectFlags) => report(async () => (await import('./connect-codex.ts')).disconnectCodex(flags)),
  );
}

function addConnect(parent: Command, name: string, description: string): Command {
  return addDisconnect(parent, name, description)
    .option('--url <address>', 'the address of the server (default: from its settings)')
    .option('--token <token>', "an asker's token, for a server whose data is not here (default: a new one)")
    .option('--print', 'print what is added, with the token in PARLEY_ASK_TOKEN, and change nothing');
}

function addDisconnect(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .addHelpText('after', exampleText([`parley ${parent.name()} ${name}`]))
    .option('--settings <file>', "the program's settings file (default: the user's own)")
    .option('--yes', 'agree to the change without being asked')
    .option('--data-dir <folder>', "the server's data directory (default: .parley)")
    .option('--config <file>', "the server's config file");
}
