import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { definePlugin, ToolError } from '@parleyhq/core';
import * as z from 'zod';
import { coversCommand, createRunCommand, type Settings } from './run-command.ts';

const configSchema = z
  .object({
    workingDirectory: z.string().optional().describe("Where commands run; by default the plugin's own folder."),
  })
  .default({});

let settings: Settings | undefined;
let shutdown = new AbortController();

export default definePlugin({
  name: 'shell',
  version: '0.1.0',
  configSchema,
  tools: [createRunCommand(readSettings)],
  covers: (rule, args) => coversCommand(rule, args, readSettings()),
  setup({ config, dataDir }) {
    const workingDirectory = resolve(configSchema.parse(config).workingDirectory ?? dataDir);
    if (!statSync(workingDirectory, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`workingDirectory "${workingDirectory}" is not a folder.`);
    }
    shutdown = new AbortController();
    settings = { workingDirectory, shutdown: shutdown.signal };
  },
  dispose() {
    shutdown.abort(new ToolError('interrupted', 'The server stopped while the command was running.'));
  },
});

function readSettings(): Settings {
  if (!settings) throw new Error('The shell plugin is not set up yet.'); // must never fall back to the server's own folder
  return settings;
}
