import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { definePlugin, isWithheld, pickEnvironment, ToolError } from '@parleyhq/core';
import * as z from 'zod';
import { coversCommand, createRunCommand, loadPrefixes, type Settings, suggestCommands } from './run-command.ts';

const configSchema = z
  .object({
    workingDirectory: z.string().optional().describe("The folder in which commands run; by default the plugin's own."),
    env: z
      .array(z.string().refine((name) => !isWithheld(name), 'PARLEY_* and *_API_KEY are never passed on'))
      .default([])
      .describe('Names of further environment variables that commands get.'),
  })
  .default({ env: [] });

let settings: Settings | undefined;
let shutdown = new AbortController();

export default definePlugin({
  name: 'shell',
  version: '0.1.0',
  configSchema,
  tools: [createRunCommand(readSettings)],
  covers: (rule, args) => coversCommand(rule, args, readSettings()),
  suggestRules: (calls) => suggestCommands(calls, readSettings()),
  async setup({ config, dataDir }) {
    const wanted = configSchema.parse(config);
    const workingDirectory = resolve(wanted.workingDirectory ?? dataDir);
    if (!statSync(workingDirectory, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`workingDirectory "${workingDirectory}" is not a folder.`);
    }
    await loadPrefixes(); // after a restart rules count before any command is described
    shutdown = new AbortController();
    const env = pickEnvironment(process.env, ['TERM', 'SHELL', ...wanted.env]);
    settings = { workingDirectory, env, shutdown: shutdown.signal };
  },
  dispose() {
    shutdown.abort(new ToolError('interrupted', 'The server stopped while the command was running.'));
  },
});

function readSettings(): Settings {
  if (!settings) throw new Error('The shell plugin is not set up yet.'); // must never fall back to the server's own folder
  return settings;
}
