import { type CompletedCommand, entriesOf, quote, stepsOf, type Value, valuedFlags } from './shape.ts';

/** A script for zsh: `eval "$(parley completion zsh)"`, after compinit. */
export function writeZsh(shape: readonly CompletedCommand[]): string {
  const valued = valuedFlags(shape);
  return `#compdef parley
# Completes parley in zsh. In ~/.zshrc, after compinit: eval "$(parley completion zsh)"
_parley() {
  local at= skip= i
  local -a entries
  for ((i = 2; i < CURRENT; i++)); do
    if [[ -n $skip ]]; then skip=; continue; fi
    case "$at/$words[i]" in
${stepsOf(shape)
  .map(({ at, path }) => `      (${quote(at)}) at=${quote(path)} ;;\n`)
  .join('')}\
      (${valued.flatMap(({ at }) => at.map(quote)).join('|')}) skip=1 ;;
    esac
  done
  if [[ -n $skip ]]; then
    case "$at/$words[CURRENT-1]" in
${valued.map(({ at, value }) => `      (${at.map(quote).join('|')}) ${complete(value)} ;;\n`).join('')}\
    esac
    return
  fi
  case "$at" in
${shape.map((command) => `    (${quote(command.path)}) entries=(${entriesOf(command).map(entry).join(' ')}) ;;\n`).join('')}\
  esac
  _describe 'parley' entries
}
compdef _parley parley
`;
}

function entry({ name, description }: { name: string; description: string }): string {
  return quote(`${name}:${description}`);
}

function complete(value: Value): string {
  switch (value.kind) {
    case 'choice':
      return `compadd -- ${value.choices.map(quote).join(' ')}`;
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'text':
    case 'none':
      return '_message value';
    default:
      return value satisfies never;
  }
}
