import type { Subcommand } from '@parleyhq/core';

/** The commands of the plugin, whose code is imported only when one is used. */
export const commands: readonly Subcommand[] = [
  {
    name: 'connect claude',
    summary: 'Claude Code: its permission prompts appear here, too',
    run: async ({ connect }) => void (await connect((await import('./claude-settings.ts')).claudeCode)),
  },
  {
    name: 'disconnect claude',
    summary: 'Claude Code: removes its hooks and revokes their token',
    run: async ({ disconnect }) => disconnect((await import('./claude-settings.ts')).claudeCode),
  },
];
