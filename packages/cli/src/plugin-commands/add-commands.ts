import type { Subcommand, SubcommandOption } from '@parleyhq/core';
import { Argument, type Command, Option } from 'commander';
import { exampleText } from '../io/example-text.ts';
import type { Report } from '../io/report.ts';
import { addServerFlags } from '../settings/flags.ts';

/** The commands below which plugins may have some, one for each program that can ask people (ASK7). */
export const groups = { connect: 'let another program ask people here', disconnect: 'undo parley connect' };

type Group = keyof typeof groups;

export function addGroups(program: Command): void {
  for (const [name, summary] of Object.entries(groups)) program.command(name).description(summary);
}

/** Adds the commands of plugins as they describe themselves. Their code is called when one is used (PLG15). */
export function addPluginCommands(program: Command, commands: readonly Subcommand[], report: Report): void {
  for (const described of commands) {
    const command = addCommand(program, described);
    command.action(() => report(async () => (await import('./run-command.ts')).runSubcommand(described, command)));
  }
}

function addCommand(program: Command, { name, summary, examples, exitCodes, ...rest }: Subcommand): Command {
  const [word = '', target] = name.split(' ');
  const parent = target === undefined ? program : program.commands.find((command) => command.name() === word);
  const command = (parent ?? program)
    .command(target ?? word)
    .description(summary)
    .addHelpText('after', exampleText(examples ?? [`parley ${name}`], exitCodes));
  for (const { name: argument, summary: words, optional, rest: isRest, choices } of rest.arguments ?? []) {
    const named = isRest ? `${argument}...` : argument;
    command.addArgument(withChoices(new Argument(optional ? `[${named}]` : `<${named}>`, words), choices));
  }
  if (target === undefined) addServerFlags(command, rest.asks ? askerWords : undefined);
  else addConnectFlags(command, word as Group);
  for (const { flag, summary: words, choices } of rest.options ?? [])
    command.addOption(withChoices(new Option(flag, words), choices));
  return command;
}

const askerWords = "an asker's token (or PARLEY_ASK_TOKEN, else PARLEY_TOKEN)";

function withChoices<Taking extends Argument | Option>(taking: Taking, choices: SubcommandOption['choices']): Taking {
  if (choices) taking.choices(choices);
  return taking;
}

function addConnectFlags(command: Command, group: Group): void {
  command
    .option('--settings <file>', "the program's settings file (default: the user's own)")
    .option('--yes', 'agree to the change without being asked')
    .option('--data-dir <folder>', "the server's data directory (default: .parley)")
    .option('--config <file>', "the server's config file");
  if (group === 'disconnect') return;
  command
    .option('--url <address>', 'the address of the server (default: from its settings)')
    .option('--token <token>', "an asker's token, for a server whose data is not here (default: a new one)")
    .option('--print', 'print what is added, with the token in PARLEY_ASK_TOKEN, and change nothing');
}
