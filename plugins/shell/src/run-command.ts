import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type AskedCall,
  type CallDescription,
  defineTool,
  type OfferedRule,
  type Rule,
  type ToolContext,
} from '@parleyhq/core';
import * as z from 'zod';
import { runCommand } from './run.ts';

export interface Settings {
  /** The folder in which commands run by default. */
  readonly workingDirectory: string;
  /** The environment of commands. */
  readonly env: NodeJS.ProcessEnv;
  /** Aborts when the server stops. */
  readonly shutdown: AbortSignal;
}

const parameters = z.object({
  command: z.string().trim().min(1).describe('The command, for a POSIX shell.'),
  cwd: z.string().optional().describe('A folder, relative to the working directory.'),
});

type CommandArgs = z.output<typeof parameters>;

let prefixes: typeof import('./prefix-rule.ts') | undefined;

/** Loads what parses commands. Not before a server runs the plugin, because the shell's grammar is large. */
export async function loadPrefixes(): Promise<typeof import('./prefix-rule.ts')> {
  prefixes ??= await import('./prefix-rule.ts');
  return prefixes;
}

/** Runs only commands that a person has read and approved, or whose prefix they have allowed. */
export function createRunCommand(settings: () => Settings) {
  return defineTool({
    name: 'run_command',
    description: 'Run a shell command, once a person has approved it; they may edit it first.',
    parameters,
    async describe(args) {
      const { isKnown } = await loadPrefixes();
      return describeCommand(args, settings().workingDirectory, isKnown(args));
    },
    async handler(args, ctx) {
      const { workingDirectory, env, shutdown } = settings();
      const fault = findFault(args, workingDirectory);
      if (fault) throw ctx.error('invalid_args', fault);
      const { command, cwd } = await askApproval(args, workingDirectory, ctx);
      const folder = resolve(workingDirectory, cwd ?? '.');
      const signal = AbortSignal.any([ctx.signal, shutdown]);
      const result = await runCommand({ command, cwd: folder, env, signal, progress: (text) => ctx.progress(text) });
      return { command, cwd: folder, ...result };
    },
  });
}

/**
 * @returns the arguments that the person approved, possibly edited
 * @throws ToolError `denied`, `cancelled` or `timeout`
 */
async function askApproval(args: CommandArgs, workingDirectory: string, ctx: ToolContext): Promise<CommandArgs> {
  const { isKnown, offerPrefix } = await loadPrefixes();
  const approval = await ctx.approve<CommandArgs>({
    key: ({ command, cwd = '.' }) => ['run_command', resolve(workingDirectory, cwd), command],
    ...describeCommand(args, workingDirectory, isKnown(args)),
    scopes: ['once'],
    rules: offerPrefix(place(args, workingDirectory)),
    suggest: true,
    editable: true,
    editPath: ['command'],
    check: async (edited) => findFault(edited, workingDirectory),
  });
  if (!approval.approved) throw ctx.error(approval.code, approval.reason);
  return approval.args;
}

/** @param isKnown - whether it is a simple command of which is known that it does no more than it says */
function describeCommand(args: CommandArgs, workingDirectory: string, isKnown: boolean): CallDescription {
  const { command, folder } = place(args, workingDirectory);
  return {
    title: 'Run this command?',
    prompt: `In ${folder}`,
    subject: { kind: 'command', text: command },
    risk: isKnown ? 'medium' : 'high',
  };
}

/** Whether a prefix that somebody allowed covers a command (APR7). */
export function coversCommand(rule: Rule, args: CommandArgs, { workingDirectory }: Settings): boolean {
  return prefixes?.isCoveredBy(rule, place(args, workingDirectory)) ?? false;
}

/** Suggests the prefix that all of these commands have in common (LESS2). */
export function suggestCommands(calls: readonly AskedCall[], { workingDirectory }: Settings): readonly OfferedRule[] {
  return prefixes?.suggestPrefix(calls.map(({ args }) => place(args, workingDirectory))) ?? [];
}

function place({ command, cwd = '.' }: CommandArgs, workingDirectory: string) {
  return { command, folder: resolve(workingDirectory, cwd) };
}

function findFault({ cwd = '.' }: CommandArgs, workingDirectory: string): string | undefined {
  const isFolder = statSync(resolve(workingDirectory, cwd), { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? undefined : `There is no folder "${cwd}".`;
}
