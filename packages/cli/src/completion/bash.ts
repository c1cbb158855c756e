import { type CompletedCommand, entriesOf, quote, stepsOf, type Value, valuedFlags } from './shape.ts';

/** A script for bash: `eval "$(parley completion bash)"`. */
export function writeBash(shape: readonly CompletedCommand[]): string {
  const valued = valuedFlags(shape);
  return `# Completes parley in bash. In ~/.bashrc: eval "$(parley completion bash)"
_parley() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= skip= i words
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ $skip ]]; then skip=; continue; fi
    case "$at/\${COMP_WORDS[i]}" in
${stepsOf(shape)
  .map(({ at, path }) => `      ${quote(at)}) at=${quote(path)} ;;\n`)
  .join('')}\
      ${valued.flatMap(({ at }) => at.map(quote)).join(' | ')}) skip=1 ;;
    esac
  done
  if [[ $skip ]]; then
    case "$at/$prev" in
${valued.map(({ at, value }) => `      ${at.map(quote).join(' | ')}) ${complete(value)} ;;\n`).join('')}\
    esac
    return
  fi
  case "$at" in
${shape
  .map(
    (command) =>
      `    ${quote(command.path)}) words=${quote(
        entriesOf(command)
          .map(({ name }) => name)
          .join(' '),
      )} ;;\n`,
  )
  .join('')}\
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _parley parley
`;
}

function complete(value: Value): string {
  switch (value.kind) {
    case 'choice':
      return `COMPREPLY=($(compgen -W ${quote(value.choices.join(' '))} -- "$cur"))`;
    case 'file':
      return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))';
    case 'folder':
      return 'compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur"))';
    case 'text':
    case 'none':
      return ':';
    default:
      return value satisfies never;
  }
}
