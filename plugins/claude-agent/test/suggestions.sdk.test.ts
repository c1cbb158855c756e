import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

const done = { content: [say('Done.')] };
const run = (command: string, more: object = {}) => ({ content: [call('Bash', { command, ...more })] });
const prompt = async (after = 0) => (await claude.tab.event('interaction_request', undefined, after)).payload;

/** Chooses the prompt's first rule. */
function choose(asked: Awaited<ReturnType<typeof prompt>>) {
  const ruleId = asked.rules?.[0]?.id;
  return claude.tab.answer(asked, { action: 'approve', approvalScope: 'session', ruleId });
}

async function listGrants() {
  const { client, sessionId } = claude.tab;
  return client.listGrants({ sessionId });
}

/** The grant that each call's result names. */
const authorities = () => claude.payloads('tool_result').map((payload) => (payload as { grantId?: string }).grantId);

test('[APR7, AGT3] a suggestion becomes a rule when chosen: it covers what its words say, is named in the log, and can be revoked', async () => {
  await claude.ask(
    'Run',
    run('git tag one; true'),
    run('git tag one'),
    run('git tag -l'),
    run('git tag two'),
    run('git tag two; touch x.txt'),
    run('git tag three', { timeout: 9000 }),
    done,
  );
  const compound = await prompt();
  expect(compound.rules).toBeUndefined();
  await claude.tab.answer(compound, { action: 'deny' });
  const asked = await prompt(claude.seq);
  expect(asked.rules).toEqual([
    {
      id: 'suggestion1',
      label: 'single Bash commands that begin with `git tag`',
      key: ['command', 'git', 'tag'],
      scopes: ['session'],
    },
  ]);
  await choose(asked);
  for (const text of ['git tag two; touch x.txt', 'git tag three']) {
    const other = await prompt(claude.seq);
    expect(other.subject?.text).toBe(text);
    await claude.tab.answer(other, { action: 'deny' });
  }
  const { seq } = await claude.tab.event('turn_end');
  expect(await claude.files()).toEqual([]);
  const [grant, ...others] = await listGrants();
  expect(others).toEqual([]);
  expect(grant).toMatchObject({ toolName: 'Bash', rule: { label: asked.rules?.[0]?.label }, uses: 1 });
  const ids = authorities();
  expect(ids[3]).toBe(grant!.id); // `git tag -l` only reads, so nobody is asked about it

  await claude.tab.client.revokeGrant(grant!.id);
  claude.script(run('git tag four'), done);
  await claude.say('Once more');
  const again = await prompt(seq);
  expect(again.subject?.text).toBe('git tag four');
  await claude.tab.answer(again, { action: 'deny' });
  await claude.end(seq);
});

test('[APR7, AGT3, DUR2] a rule that was chosen holds in the same process, and after the server was killed', async () => {
  await claude.ask('Run', run('git init -q a'), run('git init -q b'), done);
  await choose(await prompt());
  await claude.end();
  claude.script(run('git init -q c'), done);
  await claude.crash();
  const { seq } = claude;
  await claude.say('Again');
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(await claude.files()).toEqual(['a', 'b', 'c']);
  expect(claude.payloads('interaction_request')).toHaveLength(1);
  const [grant] = await listGrants();
  expect(grant).toMatchObject({ uses: 2 });
});

test('[APR7, AGT3] a rule of Write covers files of the working folder, and no other tool', async () => {
  await claude.ask('Hello', { content: [say('Hello.')] });
  const { seq } = await claude.tab.event('turn_end');
  const write = (file: string) => ({ content: [call('Write', { file_path: `${claude.work}/${file}`, content: 'x' })] });
  claude.script(write('one.txt'), write('two.txt'), write('.env'), run('touch three.txt'), done);
  await claude.say('Write');
  const asked = await prompt(seq);
  expect(asked.rules).toMatchObject([
    { label: `changing any file in \`${claude.work}\` and the folders in it with this tool, except hidden ones` },
  ]);
  await choose(asked);
  for (const name of ['Write', 'Bash']) {
    const other = await prompt(claude.seq);
    expect(other.toolName).toBe(name);
    await claude.tab.answer(other, { action: 'deny' });
  }
  await claude.end(seq);
  expect(await claude.files()).toEqual(['one.txt', 'two.txt']);
});
