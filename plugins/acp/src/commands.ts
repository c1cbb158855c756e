import type { Subcommand } from '@parleyhq/core';

/** The commands of the plugin, whose code is imported only when one is used. */
export const commands: readonly Subcommand[] = [
  {
    name: 'acp',
    summary: 'stand between an editor and an agent: its questions are asked in both',
    arguments: [{ name: 'agent', summary: 'the command of the agent, after --', rest: true }],
    asks: true,
    examples: ['parley acp -- claude-agent-acp', 'parley acp --port 7420 -- gemini --acp'],
    exitCodes: '0 and others: those of the agent; 2 wrong usage; 126 or 127 it does not start',
    run: async (context) => (await import('./editor/run.ts')).runProxy(context),
  },
  {
    name: 'acp-serve',
    summary: 'be an agent for an editor: its sessions and prompts are those of a running server',
    examples: ['parley acp-serve', 'parley acp-serve --host 127.0.0.1 --port 7420'],
    exitCodes: '0 the editor has ended; 2 wrong usage; 1 there is no server, or it refused or ended the connection',
    run: async (context) => (await import('./as-agent/run.ts')).serveEditor(context),
  },
];
