import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PluginHost } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scriptShell } from '../test/script.ts';
import plugin from './index.ts';

const approve = { action: 'approve' } as const;
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-shell-')));
  await mkdir(join(folder, 'sub'));
  await plugin.setup?.({ config: undefined, dataDir: folder } as PluginHost);
});

afterEach(() => rm(folder, { recursive: true }));

test('[APR2] the command that was shown runs, in the folder that was shown', async () => {
  const shell = scriptShell(approve);

  expect(await shell.run({ command: 'pwd; echo no >&2; exit 3', cwd: 'sub' })).toEqual({
    command: 'pwd; echo no >&2; exit 3',
    cwd: join(folder, 'sub'),
    exitCode: 3,
    output: expect.stringContaining(join(folder, 'sub')),
  });

  expect(shell.streamed()).toContain('no\n');
  expect(shell.asked[0]).toMatchObject({
    type: 'approval',
    subject: { kind: 'command', text: 'pwd; echo no >&2; exit 3' },
    prompt: `In ${join(folder, 'sub')}`,
    risk: 'high',
    editable: true,
    editPath: ['command'],
    approvalScopes: ['once'],
  });
});

test('[APR2] an edited command runs instead of the original', async () => {
  const shell = scriptShell({ action: 'approve', editedArgs: { command: 'echo mine' } });
  expect(await shell.run({ command: 'echo theirs' })).toMatchObject({ command: 'echo mine', output: 'mine\n' });
});

test.each([
  [{ command: ' ' }, 'command: Too small: expected string to have >=1 characters'],
  ['rm', 'Invalid input: expected object, received string'],
  [{ command: 'pwd', cwd: 'nowhere' }, 'Only "command" can be changed.'],
])('[INT8] an edit that cannot run (%j) is asked again', async (editedArgs, error) => {
  const shell = scriptShell({ action: 'approve', editedArgs }, approve);
  expect(await shell.run({ command: 'echo theirs' })).toMatchObject({ output: 'theirs\n' });
  expect(shell.asked[1]?.error).toBe(error);
});

test('[APR5] a denial is an error with the reason', async () => {
  const shell = scriptShell({ action: 'deny', reason: 'Not on a Friday' });
  await expect(shell.run({ command: 'touch done' })).rejects.toMatchObject({
    code: 'denied',
    message: 'Not on a Friday',
  });
});

test.each([
  ['deny', 'denied'],
  ['cancel', 'cancelled'],
] as const)('[PLG6] %s without a reason is the error %s', async (action, code) => {
  await expect(scriptShell({ action }).run({ command: 'touch done' })).rejects.toMatchObject({ code });
});

test('[APR6] without an answer nothing runs', async () => {
  await expect(scriptShell('timeout').run({ command: 'touch done' })).rejects.toMatchObject({ code: 'timeout' });
});

test('[AGT6] a missing folder is rejected before anybody is asked', async () => {
  const shell = scriptShell();
  await expect(shell.run({ command: 'pwd', cwd: 'nowhere' })).rejects.toMatchObject({ code: 'invalid_args' });
  expect(shell.asked).toHaveLength(0);
});

test('[PLG1] the working directory comes from the config and must exist', async () => {
  await plugin.setup?.({ config: { workingDirectory: join(folder, 'sub') }, dataDir: folder } as unknown as PluginHost);
  expect(await scriptShell(approve).run({ command: 'pwd' })).toMatchObject({ output: `${join(folder, 'sub')}\n` });

  const wrong = { config: { workingDirectory: join(folder, 'nowhere') }, dataDir: folder } as unknown as PluginHost;
  await expect(async () => plugin.setup?.(wrong)).rejects.toThrow('is not a folder');
});

test('[PLG1] stopping the server ends its commands', async () => {
  const shell = scriptShell(approve);
  const running = shell.run({ command: 'echo ready; exec sleep 60' });
  await expect.poll(() => shell.streamed()).toBe('ready\n');
  await plugin.dispose?.();
  await expect(running).rejects.toMatchObject({ code: 'interrupted' });
});
