import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { InteractionRequest } from '@parleyhq/core';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, makeFolder, useClaudeServer } from './claude-server.ts';

const base = await realpath(makeFolder());
const [one, two] = ['one', 'two'].map((name) => join(base, name)) as [string, string];
await mkdir(join(one, '.git'), { recursive: true });
await mkdir(join(two, 'app'), { recursive: true });
await symlink(base, join(two, 'up'));
const claude = useClaudeServer({ folders: [one, two] });

const done = { content: [say('Done.')] };
const prompt = async (after = 0) => (await claude.tab.event('interaction_request', undefined, after)).payload;

/** The question that replaced this one. */
async function next({ interactionId }: InteractionRequest): Promise<InteractionRequest> {
  return (await claude.tab.event('interaction_request', ({ payload }) => payload.replaces === interactionId)).payload;
}

/** Starts a session that works in the folder. */
async function choose(root: string, below?: string): Promise<void> {
  await claude.ask('Hello', { content: [say('Hello.')] });
  await claude.tab.submit(await prompt(), { root, ...(below !== undefined && { below }) });
  await claude.end();
}

test('[AGT3] before its first turn a session asks for its folder, and rejects folders outside the allowed ones', async () => {
  await claude.ask('Hello', { content: [call('Bash', { command: 'pwd' })] }, done);
  let asked = await prompt();
  expect(asked).toMatchObject({
    toolName: 'ChooseFolder',
    inputSchema: {
      fields: [{ id: 'root', type: 'select', required: true, options: [{ value: one }, { value: two }] }, {}],
    },
  });
  expect(claude.requests).toEqual([]);
  await expect(claude.tab.submit(asked, { root: base })).rejects.toMatchObject({ code: 'invalid' });
  const outside: readonly (readonly [string, string])[] = [
    [one, '..'],
    [one, '../two'],
    [one, base],
    [one, '.git'],
    [one, 'nowhere'],
    [two, 'up'],
    [two, 'up/one'],
  ];
  for (const [root, below] of outside) {
    await claude.tab.submit(asked, { root, below });
    asked = await next(asked);
    expect(asked.fieldErrors).toHaveProperty('below');
  }
  await claude.tab.submit(asked, { root: two, below: 'app' });
  await claude.end();
  expect(claude.payloads('tool_result')).toMatchObject([
    { toolName: 'ChooseFolder', result: join(two, 'app') },
    { toolName: 'Bash', result: join(two, 'app') },
  ]);
  expect(await claude.sent(1)).toEqual(['user: Hello']);
});

test('[AGT3, DUR2] the choice holds for the session, also after the server was killed, and other sessions ask for their own', async () => {
  await choose(one);
  await claude.crash();
  claude.script({ content: [call('Bash', { command: 'pwd' })] }, done);
  const { seq } = claude;
  await claude.say('Where?');
  await claude.end(seq);
  expect(claude.payloads('tool_result').at(-1)).toMatchObject({ result: one });
  expect(claude.payloads('interaction_request')).toHaveLength(1);
  expect((await claude.lastSent())[0]).toBe('user: Hello');
});

test('[AGT3, APR3] acceptEdits covers the chosen folder alone', async () => {
  await choose(two, 'app');
  const { client, sessionId } = claude.tab;
  await client.setPermissionMode(sessionId, 'acceptEdits');
  const write = (path: string) => ({ content: [call('Write', { file_path: path, content: 'x' })] });
  claude.script(write(join(two, 'app/in.txt')), write(join(two, 'out.txt')), write(join(one, 'out.txt')), done);
  const { seq } = claude;
  await claude.say('Write');
  let after = seq;
  for (const path of [join(two, 'out.txt'), join(one, 'out.txt')]) {
    const asked = await prompt(after);
    expect(asked.subject?.text).toContain(path);
    after = claude.seq;
    await claude.tab.answer(asked, { action: 'deny' });
  }
  await claude.end(seq);
  expect(await readdir(join(two, 'app'))).toEqual(['in.txt']);
});

test('[AGT3] without a folder nothing runs, and the next message asks again', async () => {
  await claude.ask('Hello', done);
  await claude.tab.answer(await prompt(), { action: 'cancel' });
  expect(await claude.end()).toMatchObject({ status: 'error', error: { code: 'no_folder' } });
  expect(claude.requests).toEqual([]);
  const { seq } = claude;
  await claude.say('Again');
  await claude.tab.submit(await prompt(seq), { root: one });
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(await claude.sent(1)).toEqual(['user: Hello', 'user: Again']);
});

test('[AGT3, OPS5] a folder that now leads elsewhere is rejected, and stays when its session is deleted', async () => {
  const folder = join(one, 'moved');
  await mkdir(folder);
  await choose(one, 'moved');
  await rename(folder, join(one, 'kept'));
  await symlink(two, folder);
  const { seq } = claude;
  await claude.say('Still there?');
  expect(await claude.end(seq)).toMatchObject({ status: 'error', error: { code: 'folder_refused' } });
  const { client, sessionId } = claude.tab;
  await client.deleteSession(sessionId);
  expect(existsSync(join(claude.work, '..'))).toBe(false);
  expect(existsSync(join(one, 'kept'))).toBe(true);
});
