import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineTool, type ToolContext } from '@parleyhq/core';
import * as z from 'zod';
import { runCommand } from './run.ts';

export interface Settings {
  /** Where commands run unless they say otherwise. */
  readonly workingDirectory: string;
  /** Aborts when the server stops. */
  readonly shutdown: AbortSignal;
}

const parameters = z.object({
  command: z.string().trim().min(1).describe('What a POSIX shell runs.'),
  cwd: z.string().optional().describe('A folder, relative to the working directory.'),
});

type Order = z.output<typeof parameters>;

/** Runs nothing that a person has not read and allowed, each time anew. */
export function createRunCommand(settings: () => Settings) {
  return defineTool({
    name: 'run_command',
    description: 'Run a shell command, once a person has allowed it; they may edit it first.',
    parameters,
    async handler(order, ctx) {
      const { workingDirectory, shutdown } = settings();
      const fault = findFault(order, workingDirectory);
      if (fault) throw ctx.error('invalid_args', fault);
      const { command, cwd } = await askLeave(order, workingDirectory, ctx);
      const folder = resolve(workingDirectory, cwd ?? '.');
      const signal = AbortSignal.any([ctx.signal, shutdown]);
      const result = await runCommand({ command, cwd: folder, signal, progress: (text) => ctx.progress(text) });
      return { command, cwd: folder, ...result };
    },
  });
}

/**
 * @returns what the person allowed, which may not be what was asked
 * @throws ToolError `denied`, `cancelled` or `timeout`
 */
async function askLeave(order: Order, workingDirectory: string, ctx: ToolContext): Promise<Order> {
  const approval = await ctx.approve<Order>({
    key: ({ command, cwd = '.' }) => ['run_command', resolve(workingDirectory, cwd), command],
    title: 'Run this command?',
    prompt: `In ${resolve(workingDirectory, order.cwd ?? '.')}`,
    subject: { kind: 'command', text: order.command },
    risk: 'high',
    scopes: ['once'],
    editable: true,
    check: async (edited) => findFault(edited, workingDirectory),
  });
  if (!approval.approved) throw ctx.error(approval.code, approval.reason);
  return approval.args;
}

function findFault({ cwd = '.' }: Order, workingDirectory: string): string | undefined {
  const isFolder = statSync(resolve(workingDirectory, cwd), { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? undefined : `There is no folder "${cwd}".`;
}
