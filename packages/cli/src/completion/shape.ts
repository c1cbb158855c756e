import type { Argument, Command, Option } from 'commander';

/** What may follow a flag. */
export type Value =
  | { readonly kind: 'none' | 'text' | 'file' | 'folder' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

export interface CompletedFlag {
  readonly names: readonly string[];
  readonly value: Value;
  readonly description: string;
}

/** A command, by the words that lead to it, and what may follow them. */
export interface CompletedCommand {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly CompletedFlag[];
  /** Words that its arguments may be. */
  readonly choices: readonly string[];
}

/** Everything that the help shows: shells complete from the table that people read. */
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

/** The name of its value, as the help shows it, says what it is. */
function findValue({ argChoices, flags, required, optional }: Option): Value {
  if (argChoices) return { kind: 'choice', choices: argChoices };
  if (!(required || optional)) return { kind: 'none' };
  if (/<folder>/.test(flags)) return { kind: 'folder' };
  return { kind: /<(file|path)\b/.test(flags) ? 'file' : 'text' };
}

/** All words that may stand after the command, without the values of its flags. */
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

/** The flags that take a value, each with the command before it as scripts compare them: `token create/--role`. */
export function valuedFlags(shape: readonly CompletedCommand[]): readonly { at: readonly string[]; value: Value }[] {
  return shape.flatMap(({ path, flags }) =>
    flags
      .filter(({ value }) => value.kind !== 'none')
      .map(({ names, value }) => ({ at: names.map((name) => `${path}/${name}`), value })),
  );
}

/** How each command is reached: the command before, and the word. */
export function stepsOf(shape: readonly CompletedCommand[]): readonly { readonly at: string; readonly path: string }[] {
  return shape.flatMap(({ path, commands }) =>
    commands.map(({ name }) => ({ at: `${path}/${name}`, path: path === '' ? name : `${path} ${name}` })),
  );
}

/** A word in single quotes, for any of these shells. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
