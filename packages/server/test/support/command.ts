import { execFile } from 'node:child_process';
import type { AccessToken } from '@parleyhq/core';
import { mainPath } from './server-process.ts';

/** Runs `parley` with these arguments until it ends. */
export function runParley(...words: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [mainPath, ...words], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Runs `parley token create`, beside a server or without one. @throws Error with its output, if it fails */
export async function createToken(dataDir: string, ...flags: string[]): Promise<AccessToken & { token: string }> {
  const { code, stdout, stderr } = await runParley('token', 'create', '--data-dir', dataDir, '--json', ...flags);
  if (code !== 0) throw new Error(`parley token create ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
