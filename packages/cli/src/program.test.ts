import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { ownCommands } from './own-commands.ts';
import { shippedCommands } from './plugin-commands/shipped-commands.ts';
import { makeProgram } from './program.ts';

/** All commands without subcommands, each with its words. */
function leavesOf(command: Command, words: readonly string[] = []): readonly (readonly [string, Command])[] {
  const below = command.commands.flatMap((each) => leavesOf(each, [...words, each.name()]));
  return below.length > 0 ? below : [[words.join(' '), command]];
}

test.each(leavesOf(makeProgram()))(
  '[OPS2] help of parley %s: what it does, each argument and flag, examples and exit codes',
  (words, command) => {
    let help = '';
    command
      .configureOutput({
        writeOut: (text) => {
          help += text;
        },
      })
      .outputHelp();
    expect(command.description()).toMatch(/\w/);
    for (const option of command.options.filter(({ hidden }) => !hidden)) expect(option.description).toMatch(/\w/);
    for (const argument of command.registeredArguments)
      expect(help).toMatch(new RegExp(`^ {2}${argument.name()} `, 'm'));
    expect(help).toMatch(new RegExp(`Examples:\\n {2}.*parley ${words}[\\s\\S]+Exit codes: 0 .+2 `));
  },
);

test('[PLG15] the commands that no plugin may have are those of Parley itself', () => {
  const names = makeProgram().commands.map((command) => command.name());
  const ofPlugins = shippedCommands.map(({ name }) => name).filter((name) => !name.includes(' '));
  expect(new Set(names)).toEqual(new Set([...ownCommands, ...ofPlugins]));
});
