import { type CompletedCommand, type CompletedFlag, quote, stepsOf, type Value, valuedFlags } from './shape.ts';

/** A script for fish: `parley completion fish | source`. */
export function writeFish(shape: readonly CompletedCommand[]): string {
  return `# Completes parley in fish. In ~/.config/fish/config.fish: parley completion fish | source
function __parley_at
  set -l at ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch "$at/$word"
${stepsOf(shape)
  .map(({ at, path }) => `      case ${quote(at)}\n        set at ${quote(path)}\n`)
  .join('')}\
      case ${valuedFlags(shape)
        .flatMap(({ at }) => at.map(quote))
        .join(' ')}
        set skip 1
    end
  end
  test "$at" = "$argv[1]"
end
complete -c parley -f
${shape.map(writeCommand).join('')}`;
}

function writeCommand({ path, commands, flags, choices }: CompletedCommand): string {
  const begin = `complete -c parley -n ${quote(`__parley_at "${path}"`)}`;
  const words = [...commands, ...choices.map((name) => ({ name, description: '' }))];
  return [
    ...words.map(({ name, description }) => `${begin} -a ${quote(name)} -d ${quote(description)}\n`),
    ...flags.map((flag) => `${begin} ${writeFlag(flag)}\n`),
  ].join('');
}

function writeFlag({ names, value, description }: CompletedFlag): string {
  const switches = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return `${switches.join(' ')}${complete(value)} -d ${quote(description)}`;
}

function complete(value: Value): string {
  switch (value.kind) {
    case 'none':
      return '';
    case 'choice':
      return ` -x -a ${quote(value.choices.join(' '))}`;
    case 'file':
      return ' -r -F';
    case 'folder':
      return ` -x -a '(__fish_complete_directories)'`;
    case 'text':
      return ' -x';
    default:
      return value satisfies never;
  }
}
