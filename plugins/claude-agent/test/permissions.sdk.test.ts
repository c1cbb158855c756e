import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

const done = { content: [say('Done.')] };
const prompt = async (after = 0) => (await claude.tab.event('interaction_request', undefined, after)).payload;

test('[AGT3, APR3] a command needs approval, with the SDK’s reasons shown, and then runs', async () => {
  await claude.ask('Run', { content: [call('Bash', { command: 'echo one > a.txt && cat a.txt' })] }, done);
  const asked = await prompt();
  expect(asked).toMatchObject({
    toolName: 'Bash',
    interactionType: 'approval',
    title: 'Run echo one > a.txt && cat a.txt',
    prompt: '"For session" allows exactly this again.',
    subject: { kind: 'command', text: 'echo one > a.txt && cat a.txt' },
    approvalScopes: ['once', 'session'],
    editable: true,
  });
  expect(await claude.files()).toEqual([]);
  await claude.tab.answer(asked, { action: 'approve' });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect(claude.payloads('tool_result')).toMatchObject([{ toolName: 'Bash', result: 'one' }]);
  expect((await claude.sent(2)).at(-1)).toBe('result: one');
});

test('[AGT3] the prompt shows why the SDK asks for permission', async () => {
  await claude.ask('Read', { content: [call('Read', { file_path: '/etc/hostname' })] }, done);
  const asked = await prompt();
  expect(asked.prompt).toContain('Path is outside allowed working directories.');
  expect(asked.rules).toMatchObject([{ label: 'reading any file in `/etc` and the folders in it' }]);
  await claude.tab.answer(asked, { action: 'deny', reason: 'Not yours.' });
  await claude.end();
  expect((await claude.sent(2)).at(-1)).toMatch(/^error: .*Not yours\.$/);
});

test('[AGT3, APR5] a denial reaches the model with its reason, and nothing runs', async () => {
  await claude.ask('Run', { content: [call('Bash', { command: 'touch denied.txt' })] }, done);
  await claude.tab.answer(await prompt(), { action: 'deny', reason: 'Use the other disk.' });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect(claude.payloads('tool_result')).toMatchObject([{ error: { code: 'denied', message: 'Use the other disk.' } }]);
  expect((await claude.sent(2)).at(-1)).toMatch(/^error: .*Use the other disk\.$/);
  expect(await claude.files()).toEqual([]);
});

test('[REV2, AGT3] the words of a yes and its comments reach the model after the results, those of a no in its result', async () => {
  const command = 'touch r.txt; echo ran';
  const calls = [call('Bash', { command }), call('Bash', { command: 'touch not.txt' })];
  await claude.ask('Run', { content: calls }, done);
  const first = await prompt();
  const annotations = [{ lines: [1, 1] as [number, number], quote: command, comment: 'Never at night.' }];
  await claude.tab.answer(first, { action: 'approve', reason: 'Only this once.', annotations });
  const { seq } = await claude.tab.event('tool_result');
  await claude.tab.answer(await prompt(seq), { action: 'deny', reason: 'One is enough.' });
  await claude.end();
  const sent = await claude.sent(2);
  expect(sent).toContain('result: ran');
  expect(sent.at(-1)).toMatch(/^error: .*One is enough\.$/);
  const all = JSON.stringify(claude.requests[1]?.messages);
  expect(all.match(/Only this once\./g)).toHaveLength(1);
  expect(all).toMatch(/Bash: A person said yes: “Only this once\.”.*touch r\.txt; echo ran.*Never at night\./);
  expect(all.match(/One is enough/g)).toHaveLength(1);
});

test('[AGT3, APR2] an edited command runs as edited', async () => {
  await claude.ask('Run', { content: [call('Bash', { command: 'echo theirs > e.txt' })] }, done);
  const asked = await prompt();
  const editedArgs = { command: 'echo mine > e.txt; cat e.txt' };
  await claude.tab.answer(asked, { action: 'approve', editedArgs });
  await claude.end();
  expect((await claude.sent(2)).at(-1)).toBe('result: mine');
});

test('[AGT3, APR2] "for session" covers this command and no other', async () => {
  const touch = (file: string) => call('Bash', { command: `touch ${file}` });
  await claude.ask(
    'Run',
    { content: [touch('s.txt')] },
    { content: [touch('s.txt')] },
    { content: [touch('t.txt')] },
    done,
  );
  const asked = await prompt();
  await claude.tab.answer(asked, { action: 'approve', approvalScope: 'session' });
  const other = await prompt(claude.seq);
  expect(other.subject?.text).toBe('touch t.txt');
  expect(claude.payloads('tool_result')).toHaveLength(2);
  await claude.tab.answer(other, { action: 'deny' });
  await claude.end();
  expect(await claude.files()).toEqual(['s.txt']);
});

test('[AGT3] commands run one after the other, in whatever order they are approved', async () => {
  const calls = ['one', 'two'].map((name) => call('Bash', { command: `echo ${name} >> order.txt; cat order.txt` }));
  await claude.ask('Run', { content: calls }, done);
  await claude.tab.answer(await prompt(), { action: 'approve' });
  const { seq } = await claude.tab.event('tool_result');
  await claude.tab.answer(await prompt(seq), { action: 'approve' });
  await claude.end();
  expect((await claude.sent(2)).slice(-2)).toEqual(['result: one', 'result: one\ntwo']);
});

test('[AGT3, SEC8] a command sees neither the API key nor the API address', async () => {
  await claude.ask(
    'Run',
    { content: [call('Bash', { command: 'env > env.txt; grep -c -e KEY -e ANTHROPIC env.txt' })] },
    done,
  );
  await claude.tab.answer(await prompt(), { action: 'approve' });
  await claude.end();
  expect((await claude.sent(2)).at(-1)).toBe('result: 0');
});

test('[AGT3, APR3] acceptEdits allows edits but not commands; bypassPermissions never asks', async () => {
  const setMode = (permissionMode: 'acceptEdits' | 'bypassPermissions') =>
    claude.tab.client.setPermissionMode(claude.tab.sessionId, permissionMode);
  const write = () => call('Write', { file_path: `${claude.work}/w.txt`, content: 'written' });
  await claude.ask('Hello', { content: [say('Hello.')] });
  await claude.end();
  await setMode('acceptEdits');
  claude.script({ content: [write()] }, { content: [call('Bash', { command: 'cat w.txt; touch n.txt' })] }, done);
  let { seq } = claude;
  await claude.say('Write and run');
  const asked = await prompt(seq);
  expect(asked.toolName).toBe('Bash');
  await setMode('bypassPermissions');
  await claude.tab.answer(asked, { action: 'deny' });
  await claude.end(seq);
  claude.script({ content: [call('Bash', { command: 'touch b.txt' })] }, done);
  seq = claude.seq;
  await claude.say('Run');
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(await claude.files()).toEqual(['b.txt', 'w.txt']);
});
