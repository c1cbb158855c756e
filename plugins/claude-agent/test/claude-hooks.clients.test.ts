import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ParleyProcess, type PersonTab, startParley } from '@parleyhq/client/process';
import { type SentBody, say } from '@parleyhq/plugin-anthropic/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useClaudeCode } from './claude-code.ts';
import { call, makeFolder } from './claude-server.ts';

const claude = useClaudeCode();

let server: ParleyProcess;
let person: PersonTab;
beforeEach(async () => {
  server = await startParley({ token: 'a-token-for-this-test' });
  onTestFinished(() => server.stop());
  person = await server.tab();
  const settings = ['--settings', join(claude.home, '.claude/settings.json')];
  const connected = await server.run('connect', 'claude', '--url', server.url, '--yes', ...settings);
  expect(connected).toMatchObject({ code: 0 });
});

/** Runs Claude Code with a model that wants to run this command. */
const run = (command: string) => claude.run([bash(command)]);
const open = (command: string) => claude.open([bash(command)]);
const bash = (command: string) => ({ content: [call('Bash', { command, description: 'Touch' })] });

/** The first prompt of a session of Claude Code, and a tab there. */
async function prompt() {
  const { client } = person;
  const find = () => client.state.sessions.find(({ channel }) => channel?.name.startsWith('claude:'));
  const { id } = await vi.waitUntil(find, { timeout: 60_000 });
  const tab = await server.join(id);
  return { tab, prompt: (await tab.event('interaction_request')).payload };
}

test('[ASK7] a command that was allowed in a tab runs', async () => {
  const running = run('touch allowed.txt');
  const { tab, prompt: asked } = await prompt();
  expect(asked).toMatchObject({ subject: { kind: 'command', text: 'touch allowed.txt' } });
  expect(await claude.files()).toEqual([]);
  const { payload } = await tab.event('tool_call');
  expect(payload.args).toMatchObject({ tool_use_id: expect.stringMatching(/^toolu_/) });
  await tab.answer(asked, { action: 'approve' });
  expect(await running).toContain('Done.');
  expect(await claude.files()).toEqual(['allowed.txt']);
});

test('[ASK7] a command that was denied in a tab does not run, and the model reads why', async () => {
  const running = run('touch denied.txt');
  const { tab, prompt: asked } = await prompt();
  await tab.answer(asked, { action: 'deny', reason: 'Use the other disk.' });
  expect(await running).toContain('Done.');
  expect(await claude.files()).toEqual([]);
  expect(claude.sent).toContain('Use the other disk.');
});

test('[APR2, ASK7] a command that was changed in a tab runs as it was changed, and its output is that of the change', async () => {
  const running = run('touch asked.txt');
  const { tab, prompt: asked } = await prompt();
  expect(asked).toMatchObject({ editable: true, editPath: ['input', 'command'] });
  const { payload } = await tab.event('tool_call');
  const { input, ...others } = payload.args as { input: object };
  const editedArgs = { ...others, input: { ...input, command: 'touch edited.txt && echo edited' } };
  await tab.answer(asked, { action: 'approve', editedArgs });
  expect(await running).toContain('Done.');
  expect(await claude.files()).toEqual(['edited.txt']);
  expect(JSON.stringify(claude.api.requests.at(-1)?.body.messages)).toMatch(/"tool_result"[^}]*edited/);
});

test('[APR7, ASK7] Claude Code follows a rule that was chosen in a tab from then on, and exactly that rule', async () => {
  const commands = ['git init -q one', 'git init -q two', 'git tag three'];
  const running = claude.run(commands.map(bash));
  const { tab, prompt: asked } = await prompt();
  const words = 'what Claude Code’s rule `Bash(git init *)` covers, kept in the local settings of the project';
  const rule = asked.rules?.find(({ label }) => label === words);
  const chosen = { approvalScope: 'always' as const, ruleId: rule?.id };
  await tab.answer(asked, { action: 'approve', ...chosen });
  const { payload: other } = await tab.event(
    'interaction_request',
    ({ payload }) => payload.interactionId !== asked.interactionId,
  );
  expect(other.subject?.text).toBe('git tag three');
  await tab.answer(other, { action: 'deny' });
  expect(await running).toContain('Done.');
  expect(await claude.run([bash('git init -q four')])).toContain('Done.'); // another Claude Code session asks nobody
  expect(await readdir(claude.home)).toEqual(expect.arrayContaining(['one', 'two', 'four']));
});

test('[ASK7] while the server is down nothing is allowed', async () => {
  await server.kill();
  expect(await run('touch down.txt')).toContain('Done.');
  expect(await claude.files()).toEqual([]);
});

test('[ASK7] a question in the terminal is answered in a tab', async () => {
  const options = [
    { label: 'Red', description: 'Warm' },
    { label: 'Blue', description: 'Cold' },
  ];
  const questions = [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }];
  const terminal = await claude.open([{ content: [call('AskUserQuestion', { questions })] }]);
  const { tab, prompt: asked } = await prompt();
  await terminal.shows(/Which colour\?/);
  await tab.answer(asked, { action: 'submit', input: { answer1: 'Blue' } });
  await terminal.shows(/Done\./);
  expect(claude.sent).toMatch(/Which colour\?[^}]*Blue/);
});

/** The calls in a conversation, as the model sees them. */
function callsIn({ messages }: SentBody) {
  return messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_use');
}

test('[APR2, ASK7] a plan that was approved in a tab is carried out, and what it then changes is asked about', async () => {
  const plan = '# Plan\nMake made.txt.';
  const write = (file_path: string, content: string) => call('Write', { file_path, content });
  const terminal = await claude.open(
    (body) => {
      const [file = ''] = /[^\s"`]*\.claude\/plans\/[\w-]+\.md/.exec(JSON.stringify(body)) ?? [];
      const steps = [write(file, plan), call('ExitPlanMode'), write(join(claude.home, 'made.txt'), 'made')];
      return { content: [steps[callsIn(body).length] ?? say('Done.')] };
    },
    '--permission-mode',
    'plan',
  );
  const { tab, prompt: asked } = await prompt();
  expect(asked).toMatchObject({ title: 'Carry out this plan?', subject: { kind: 'markdown', text: plan } });
  await tab.answer(asked, { action: 'approve' });
  const isNext = ({ payload }: { payload: { interactionId: string } }) => payload.interactionId !== asked.interactionId;
  const { payload: next } = await tab.event('interaction_request', isNext);
  expect(next).toMatchObject({ title: expect.stringMatching(/^Write .*made\.txt$/) });
  expect(claude.sent).toMatch(/User has approved your plan[^"]*Make made\.txt/);
  expect(await claude.files()).toEqual([]);
  await tab.answer(next, { action: 'approve' });
  await terminal.shows(/Done\./);
  expect(await claude.files()).toEqual(['made.txt']);
});

test('[ASK7] the card of an agent in the background stays when the main agent stops', async () => {
  const task = 'Touch a file in the background.';
  const stopped = await claude.answered('Stop');
  const terminal = await claude.open((body) => {
    const isBackground = JSON.stringify(body.messages[0]).includes(task);
    if (callsIn(body).length > 0) return { content: [say(isBackground ? 'Touched.' : 'Main done.')] };
    if (isBackground) return bash('touch background.txt');
    return { content: [call('Agent', { description: 'Touch', prompt: task, subagent_type: 'general-purpose' })] };
  });
  const { tab, prompt: asked } = await prompt();
  await terminal.shows(/Main done\./);
  await stopped.first;
  await tab.answer(asked, { action: 'approve' });
  await expect.poll(() => claude.files()).toEqual(['background.txt']);
});

test.each([
  ['allowed', '\r', ['both.txt']],
  ['denied', '\x1b', []],
])('[ASK7] what is %s in the terminal is withdrawn', async (_, keys, made) => {
  const terminal = await open('touch both.txt');
  const { tab, prompt: asked } = await prompt();
  await terminal.shows(/Do you want/);
  terminal.type(keys);
  const { payload } = await tab.event('interaction_closed');
  expect(payload).toMatchObject({ interactionId: asked.interactionId, note: 'Answered in the terminal' });
  await expect(tab.answer(asked, { action: 'approve' })).rejects.toMatchObject({ code: 'closed' });
  expect(await claude.files()).toEqual(made);
});

test('[ASK7] a server that is killed while both ask leaves the question to the terminal', async () => {
  const terminal = await open('touch left.txt');
  await prompt();
  await terminal.shows(/Do you want/);
  await server.kill();
  expect(await claude.files()).toEqual([]);
  terminal.type('\r');
  await terminal.shows(/Done\./);
  expect(await claude.files()).toEqual(['left.txt']);
});

/** What the classifier of the automatic mode says of each call: it is asked twice before a call is refused. */
const classifier = (body: SentBody) => /security monitor for autonomous/.test(JSON.stringify(body.system ?? ''));
const blocked = { content: [say('<severity>90</severity><category>Irreversible Local Destruction</category>')] };

test('[ACP4] a call that the automatic mode refused runs once if a person lets it, and the model repeats it', async () => {
  const file = join(makeFolder(), 'precious'); // what is in its own folder is not classified
  const command = `rm -rf ${file}`;
  await writeFile(file, 'mine');
  const terminal = await claude.open(
    (body) => {
      if (classifier(body)) return blocked;
      return callsIn(body).length < 2 ? bash(command) : { content: [say('Done.')] };
    },
    '--permission-mode',
    'auto',
  );
  const { tab, prompt: asked } = await prompt();
  expect(asked).toMatchObject({ toolName: 'claude_refused', subject: { kind: 'command', text: command } });
  expect(existsSync(file)).toBe(true);
  await tab.answer(asked, { action: 'approve' });
  await terminal.shows(/Done\./);
  expect(existsSync(file)).toBe(false);
});
