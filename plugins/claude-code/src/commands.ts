import type { Subcommand } from '@parleyhq/core';

const program = async () => (await import('./claude-settings.ts')).claudeCode;

/** The commands of the plugin, whose code is imported only when one is used. */
export const commands: readonly Subcommand[] = [
  {
    name: 'connect claude',
    summary: 'Claude Code: its permission prompts appear here, too',
    program,
    run: async ({ connect }) => void (await connect(await program())),
  },
  {
    name: 'disconnect claude',
    summary: 'Claude Code: removes its hooks and revokes their token',
    run: async ({ disconnect }) => disconnect(await program()),
  },
];
