import type { Command } from 'commander';
import { writeBash } from './bash.ts';
import { writeFish } from './fish.ts';
import { type CompletedCommand, shapeOf } from './shape.ts';
import type { shells } from './shells.ts';
import { writeZsh } from './zsh.ts';

type Shell = (typeof shells)[number];

const writers: Readonly<Record<Shell, (shape: readonly CompletedCommand[]) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};

/** `parley completion`: prints a script that makes the shell complete all commands and flags. */
export function printCompletion(shell: Shell, program: Command): void {
  process.stdout.write(writers[shell](shapeOf(program)));
}
