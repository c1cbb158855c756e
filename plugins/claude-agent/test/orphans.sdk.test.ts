import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

test('[OPS5] the folder of a session is deleted with it', async () => {
  await claude.ask('Hello', { content: [say('Hello.')] });
  await claude.end();
  const { tab } = claude;
  expect(existsSync(claude.work)).toBe(true);
  await tab.client.deleteSession(tab.sessionId);
  expect(existsSync(join(claude.work, '..'))).toBe(false);
});

test('[AGT3, DUR4] processes of the SDK and their commands end with a killed server', async () => {
  const command = 'trap "" TERM HUP; touch begun; sleep 100';
  await claude.ask('Run', { content: [call('Bash', { command })] });
  const { payload } = await claude.tab.event('interaction_request');
  await claude.tab.answer(payload, { action: 'approve' });
  await expect.poll(() => claude.files()).toEqual(['begun']);
  expect(listProcesses(claude.work)).not.toEqual([]);
  await claude.server.kill();
  await expect.poll(() => listProcesses(claude.work), { timeout: 5_000 }).toEqual([]);
});

/** The processes that work in a folder. */
function listProcesses(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false; // the process has ended, or belongs to another user
    }
  });
}
