import type { Argument, Command, Option } from 'commander';

/** The kind of value that a flag takes. */
export type Value =
  | { readonly kind: 'none' | 'text' | 'file' | 'folder' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

export interface CompletedFlag {
  readonly names: readonly string[];
  readonly value: Value;
  readonly description: string;
}

/** A command or group of commands, and what may follow it on the command line. */
export interface CompletedCommand {
  /** The command's words, separated by spaces; empty for `parley` itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly CompletedFlag[];
  /** Allowed values of its arguments. */
  readonly choices: readonly string[];
}

/** Describes a command and all commands below it, with exactly the commands and flags that the help shows. */
export function shapeOf(command: Command, words: readonly string[] = []): readonly CompletedCommand[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const own: CompletedCommand = {
    path: words.join(' '),
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    flags: help.visibleOptions(command).map(flagOf),
    choices: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
  };
  return [own, ...commands.flatMap((each) => shapeOf(each, [...words, each.name()]))];
}

function flagOf(option: Option): CompletedFlag {
  const { long, short, description } = option;
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    value: findValue(option),
    description,
  };
}

/** Derives the kind of value from the flag's placeholder, such as `<folder>`. */
function findValue({ argChoices, flags, required, optional }: Option): Value {
  if (argChoices) return { kind: 'choice', choices: argChoices };
  if (!(required || optional)) return { kind: 'none' };
  if (/<folder>/.test(flags)) return { kind: 'folder' };
  return { kind: /<(file|path)\b/.test(flags) ? 'file' : 'text' };
}

/** All words that may follow the command, without the values of its flags. */
export function entriesOf({
  commands,
  flags,
  choices,
}: CompletedCommand): readonly { name: string; description: string }[] {
  return [
    ...commands,
    ...choices.map((name) => ({ name, description: '' })),
    ...flags.flatMap(({ names, description }) => names.map((name) => ({ name, description }))),
  ];
}

/** The flags that take a value, each prefixed with its command in the form that the scripts compare: `token create/--role`. */
export function valuedFlags(shape: readonly CompletedCommand[]): readonly { at: readonly string[]; value: Value }[] {
  return shape.flatMap(({ path, flags }) =>
    flags
      .filter(({ value }) => value.kind !== 'none')
      .map(({ names, value }) => ({ at: names.map((name) => `${path}/${name}`), value })),
  );
}

/** For each command, its parent and its word as the scripts compare them (`token/create`), and the path to which they lead. */
export function stepsOf(shape: readonly CompletedCommand[]): readonly { readonly at: string; readonly path: string }[] {
  return shape.flatMap(({ path, commands }) =>
    commands.map(({ name }) => ({ at: `${path}/${name}`, path: path === '' ? name : `${path} ${name}` })),
  );
}

/** Quotes a word with single quotes, in a form that all three shells understand. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
