import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { definePlugin } from '@parleyhq/core';
import * as z from 'zod';
import { type ClaudeAgentOptions, claudeAgent } from './agent.ts';
import { findSdk, settingSources } from './sdk.ts';
import { coversCall, suggestCalls } from './suggested-rule.ts';

const configSchema = z
  .strictObject({
    sdk: z.string().optional().describe('The folder in which the SDK is installed, if not next to Parley.'),
    workingDirectory: z
      .string()
      .optional()
      .describe('The folder in which the agent works; by default each session has its own.'),
    folders: z
      .array(z.string())
      .min(1)
      .max(100)
      .optional()
      .describe('Folders from which, or from whose subfolders, a person chooses one for each session.'),
    systemPrompt: z.string().optional().describe("Added to Claude Code's own system prompt."),
    model: z.string().optional().describe('The model, instead of the one of --model.'),
    settingSources: z
      .array(z.enum(settingSources))
      .default([])
      .describe("Which of Claude Code's own settings are read."),
    liveMs: z
      .number()
      .min(0)
      .max(86_400_000)
      .default(300_000)
      .describe('How long a process waits for people, in milliseconds.'),
    promptTimeoutMs: z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe('How long a question stays open, in milliseconds; null for ever.'),
    baseUrl: z.url().optional().describe('The URL of the API; ANTHROPIC_BASE_URL takes precedence.'),
  })
  .default({ settingSources: [], liveMs: 300_000, promptTimeoutMs: null });

let options: ClaudeAgentOptions | undefined;

const agent = claudeAgent(() => {
  if (!options) throw new Error('The claude-agent plugin is not set up yet.');
  return options;
});

export default definePlugin({
  name: 'claude-agent',
  version: '0.1.0',
  configSchema,
  tools: [],
  agents: [agent],
  covers: coversCall,
  suggestRules: suggestCalls,
  setup({ config, dataDir }) {
    const { workingDirectory, folders, baseUrl, ...rest } = configSchema.parse(config);
    const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: wanted } = process.env;
    if (!apiKey) throw new Error('The agent "claude-agent" needs an API key: set ANTHROPIC_API_KEY.');
    if (workingDirectory !== undefined && folders)
      throw new Error(
        'Set either workingDirectory or folders: one folder for all sessions, or several from which people choose.',
      );
    const places = {
      workingDirectory: workingDirectory === undefined ? undefined : toFolder('workingDirectory', workingDirectory),
      folders: folders && [...new Set(folders.map((folder) => toFolder('folders', folder)))],
    };
    findSdk(rest.sdk);
    options = { ...rest, ...places, dataDir: resolve(dataDir), apiKey, baseUrl: wanted || baseUrl };
  },
  dispose: () => agent.dispose(),
});

function toFolder(setting: string, path: string): string {
  const folder = resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new Error(`${setting} "${path}" is not a folder.`);
}
