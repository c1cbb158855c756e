import type { Subcommand } from '@parleyhq/core';

/** The commands of the plugin, whose code is imported only when one is used. */
export const commands: readonly Subcommand[] = [
  {
    name: 'connect codex',
    summary: 'Codex: its permission prompts appear here first, and it can ask people',
    options: [{ flag: '--trust', summary: 'mark the hook as trusted, as /hooks in Codex does' }],
    run: async (context) => (await import('./connect.ts')).connect(context),
  },
  {
    name: 'disconnect codex',
    summary: 'Codex: removes its hook and MCP server and revokes their token',
    run: async (context) => (await import('./connect.ts')).disconnect(context),
  },
];
