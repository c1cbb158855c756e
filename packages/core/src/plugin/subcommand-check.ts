import { isRecord } from '../basics/json.ts';
import { findMemberFault, type Shape } from '../basics/member-shape.ts';
import type { Plugin } from './plugin.ts';
import type { Subcommand, SubcommandArgument, SubcommandOption } from './subcommand.ts';

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isMatch = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const subcommandMembers: Shape<Subcommand> = {
  name: [
    isMatch(/^((dis)?connect )?[a-z][a-z0-9-]*$/),
    'letters in lower case, digits and "-", such as "deploy" or "connect editor"',
    'required',
  ],
  summary: [isText, 'a line of text', 'required'],
  arguments: [Array.isArray, 'a list of arguments'],
  options: [Array.isArray, 'a list of options'],
  asks: [(value) => typeof value === 'boolean', 'true or false'],
  examples: [isTexts, 'a list of command lines'],
  exitCodes: [isText, 'a line of text'],
  program: [(value) => typeof value === 'function', 'a function'],
  run: [(value) => typeof value === 'function', 'a function', 'required'],
};

const argumentMembers: Shape<SubcommandArgument> = {
  name: [isMatch(/^[a-z][A-Za-z0-9-]*$/), 'letters, digits and "-"', 'required'],
  summary: [isText, 'a line of text', 'required'],
  optional: [(value) => typeof value === 'boolean', 'true or false'],
  rest: [(value) => typeof value === 'boolean', 'true or false'],
  choices: [isTexts, 'a list of texts'],
};

const optionMembers: Shape<SubcommandOption> = {
  flag: [
    isMatch(/^--(?!no-)[a-z][a-z0-9-]*( <[a-z][a-z -]*>)?$/),
    '"--" and a name, such as "--force" or "--region <name>"',
    'required',
  ],
  summary: [isText, 'a line of text', 'required'],
  choices: [isTexts, 'a list of texts'],
};

/** Options that `parley` itself adds to the subcommands of plugins. */
const serverFlags = ['--host', '--port', '--token', '--data-dir', '--config', '--help'];
const connectFlags = ['--settings', '--yes', '--data-dir', '--config', '--url', '--token', '--print', '--help'];

/**
 * Checks the subcommands of a plugin that is loaded together with others.
 * @param own - names of the commands that do not come from plugins
 * @throws Error naming the plugin and the subcommand that is invalid, or that another plugin or `parley` itself has
 */
export function checkSubcommands(plugin: Plugin, others: readonly Plugin[] = [], own: readonly string[] = []): void {
  const place = `Plugin "${plugin.name}"`;
  const { commands = [] } = plugin;
  if (!Array.isArray(commands)) throw new Error(`${place}: its "commands" must be a list of commands.`);
  const names = new Set<string>();
  for (const [index, command] of commands.entries()) {
    const { name = index + 1 } = isRecord(command) ? command : {};
    const refuse = (fault: string) => new Error(`${place}: command ${JSON.stringify(name)}: ${fault}`);
    const fault = findFault(command);
    if (fault !== undefined) throw refuse(fault);
    if (own.includes(command.name)) throw refuse(`"parley ${name}" is a command of Parley itself.`);
    const other = others.find(({ commands = [] }) => commands.some((each) => each.name === name));
    if (other) throw refuse(`plugin "${other.name}" has a command of this name, too.`);
    if (names.has(command.name)) throw refuse('the plugin has two commands of this name.');
    names.add(command.name);
  }
}

function findFault(command: Subcommand): string | undefined {
  const fault = findMemberFault(command, subcommandMembers);
  if (fault !== undefined) return fault;
  const { name, arguments: args = [], options = [] } = command;
  for (const [index, argument] of args.entries()) {
    const wrong = findMemberFault(argument, argumentMembers);
    if (wrong !== undefined) return `argument ${index + 1}: ${wrong}`;
    if (argument.optional && index < args.length - 1)
      return `argument ${index + 1}: only the last one may be optional.`;
    if (argument.rest && index < args.length - 1) return `argument ${index + 1}: only the last one may take the rest.`;
  }
  const taken = new Set(/ /.test(name) ? connectFlags : serverFlags);
  for (const [index, option] of options.entries()) {
    const wrong = findMemberFault(option, optionMembers);
    if (wrong !== undefined) return `option ${index + 1}: ${wrong}`;
    const [flag = ''] = option.flag.split(' ');
    if (taken.has(flag)) return `option ${index + 1}: it has ${flag} already.`;
    taken.add(flag);
  }
  return undefined;
}
