import type { Subcommand } from '@parleyhq/core';

/** The commands of the plugin, whose code is imported only when one is used. */
export const commands: readonly Subcommand[] = [
  {
    name: 'connect codex',
    summary: 'Codex: its permission prompts appear here first, and it can ask people',
    options: [
      { flag: '--trust', summary: 'mark the hook as trusted, as /hooks in Codex does' },
      {
        flag: '--live',
        summary:
          "attach to Codex's app server instead: the terminal stays open, and the first answer counts. It asks with --token, else PARLEY_ASK_TOKEN: an asker's token",
      },
      { flag: '--socket <address>', summary: "with --live: the app server's socket, or ws://127.0.0.1:PORT" },
    ],
    examples: ['parley connect codex', 'parley connect codex --live'],
    exitCodes: '0 done, or --live was stopped; 2 wrong usage; 1 anything else',
    program: async () => (await import('./codex-config.ts')).codex,
    run: async (context) => (await import('./connect.ts')).connect(context),
  },
  {
    name: 'disconnect codex',
    summary: 'Codex: removes its hook and MCP server and revokes their token',
    run: async (context) => (await import('./connect.ts')).disconnect(context),
  },
];
