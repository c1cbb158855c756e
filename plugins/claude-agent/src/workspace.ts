import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '@parleyhq/core';
import { readFolder } from './chosen-folder.ts';

/** The folders of one session of Parley, for Claude Code's own files and its work, and its environment. */
export interface Workspace {
  readonly cwd: string;
  readonly configDir: string;
  /** The folder for tool results that are too large for the SDK; created with the first one. */
  readonly resultsDir: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface WorkspaceOptions {
  readonly dataDir: string;
  /** The folder in which the agent works, instead of a separate one for each session. */
  readonly workingDirectory?: string | undefined;
  /** The folders from which, or from whose subfolders, a person chooses one for each session. */
  readonly folders?: readonly string[] | undefined;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
}

/** Keeps Claude Code from updating itself and from sending telemetry. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_BUG_COMMAND: '1',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1', // a process lasts for one turn, so nothing in it may last longer
};

/** Claude Code passes its environment on to commands. It runs each through this script, which removes the API key (SEC8). */
const shellWithoutKey = `#!/bin/sh
unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL
exec "\${SHELL:-/bin/bash}" -c "$1"
`;

/** Removes Claude Code's files of a session and the session's own working folder. A configured or chosen folder stays. */
export async function removeWorkspace(sessionId: string, options: WorkspaceOptions): Promise<void> {
  const folder = sessionFolder(sessionId, options);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 }); // a process that is just ending may still write
}

/** Returns the folder with all files of a session. */
export function sessionFolder(sessionId: string, { dataDir }: Pick<WorkspaceOptions, 'dataDir'>): string {
  return join(dataDir, 'sessions', encodeURIComponent(sessionId));
}

/**
 * Creates the folders of a session. Nothing from the user's own Claude Code configuration is read.
 * @throws ToolError `no_folder` if a person must choose one first, `folder_refused` as `readFolder` does
 */
export async function makeWorkspace(sessionId: string, options: WorkspaceOptions): Promise<Workspace> {
  const { workingDirectory, folders, apiKey, baseUrl } = options;
  const folder = sessionFolder(sessionId, options);
  const [home, tmp, configDir, own] = ['home', 'tmp', 'config', 'work'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  const chosen = folders && (await readFolder(folder, folders));
  if (folders && chosen === undefined) throw new ToolError('no_folder', 'No folder was chosen for this session.');
  const cwd = workingDirectory ?? chosen ?? own;
  for (const path of [home, tmp, configDir, ...(cwd === own ? [own] : [])])
    await mkdir(path, { recursive: true, mode: 0o700 });
  const shell = join(folder, 'shell');
  await writeFile(shell, shellWithoutKey, { mode: 0o700 });
  const env = {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    SHELL: '/bin/bash',
    HOME: home,
    TMPDIR: tmp,
    CLAUDE_CONFIG_DIR: configDir,
    ANTHROPIC_API_KEY: apiKey,
    ...(baseUrl !== undefined && { ANTHROPIC_BASE_URL: baseUrl }),
    CLAUDE_CODE_SHELL_PREFIX: shell,
    ...quiet,
  };
  return { cwd, configDir, resultsDir: join(folder, 'results'), env };
}
