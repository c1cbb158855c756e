import { afterEach, expect, test } from 'vitest';
import { createToken, ParleyProcess, runParley } from '../../server/test/support/command.ts';
import { pluginOf } from '../../server/test/support/plugin-file.ts';
import type { Tab } from '../../server/test/support/tab.ts';
import { useServer } from '../../server/test/support/use-server.ts';
import { keys, Terminal } from './support/terminal.ts';

const timeout = 60_000;
const desk = pluginOf(`export default {
  name: 'desk',
  tools: [{
    name: 'release',
    description: 'Asks two, who must say why not, and everybody later.',
    parameters: { type: 'object' },
    handler: (_, ctx) => ctx.approve({
      key: 'release',
      title: 'Release?',
      onUnavailable: 'wait',
      audience: { principals: ['Ann', 'Bob'] },
      decide: { approve: 2, deny: 2 },
      reasonRequired: ['deny'],
      escalate: [{ afterMs: 300, audience: { role: 'operator' } }],
    }),
  }],
};`);
const server = useServer({ args: [], plugins: [desk] });

const place = () => ['--port', String(server.ready.port), '--data-dir', server.dataDir];
const owner = () => server.open({ hello: { token: server.ready.token } });
const made = new Map<string, string>();

/** Returns a person's token, created at the first use. */
async function tokenOf(name: 'Ann' | 'Bob'): Promise<string> {
  const token = made.get(name) ?? (await createToken(server.dataDir, '--role', 'responder', '--name', name)).token;
  made.set(name, token);
  return token;
}

/** Runs a `parley` command as that person. */
async function parleyAs(name: 'Ann' | 'Bob', ...words: string[]) {
  const env = { PARLEY_TOKEN: await tokenOf(name) };
  const command = new ParleyProcess([...words, ...place()], { env });
  return command.end();
}

async function ask(): Promise<{ tab: Tab; session: string; id: string }> {
  const tab = await owner();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call release {}');
  return { tab, session, id: (await tab.prompt(session)).interactionId };
}

/** Deletes the sessions, so that no test leaves open questions to the next. */
afterEach(async () => {
  const tab = await owner();
  const { sessions } = await tab.waitFor('welcome');
  for (const { id } of sessions) await tab.request({ type: 'delete_session', sessionId: id });
});

test('[TEAM3, ASK8] parley inbox and parley answer show the votes so far', { timeout }, async () => {
  const { id } = await ask();
  expect((await parleyAs('Ann', 'inbox')).stdout).toContain('  0 of 2 approvals');
  const shown = await parleyAs('Ann', 'answer', id);
  expect(shown.stdout).toContain('decided by 2 approvals or 2 denials');
  expect(shown.stdout).toContain('--reason is needed for a no');
  expect(await parleyAs('Ann', 'answer', id, 'approve')).toMatchObject({
    code: 0,
    stdout: 'Your approval is counted: 1 of 2 approvals. It is not decided yet.\n',
  });
  expect((await parleyAs('Ann', 'inbox', '--list')).stdout).toContain('  1 of 2 approvals: you approved');
  expect((await parleyAs('Ann', 'answer', id)).stdout).toContain('so far 1 of 2 approvals: you approved');
  expect((await parleyAs('Bob', 'inbox')).stdout).toMatch(/ {2}1 of 2 approvals(?!:)/);
  expect((await parleyAs('Bob', 'answer', id)).stdout).toContain('so far 1 of 2 approvals');
  expect(await parleyAs('Bob', 'answer', id, 'deny')).toMatchObject({
    code: 1,
    stderr: 'parley: This answer must say why. Give it a --reason.\n',
  });
  expect((await parleyAs('Bob', 'answer', id, 'deny', '--reason', 'Not yet.')).stdout).toBe(
    'Your denial is counted: 1 of 2 approvals, 1 of 2 denials. It is not decided yet.\n',
  );
  const json = JSON.parse((await parleyAs('Bob', 'answer', id, 'approve', '--json')).stdout);
  expect(json).toMatchObject({ ok: true });
  expect(json).not.toHaveProperty('vote');
});

test('[TEAM3, ASK8] the reply to a deciding vote says that it decided', { timeout }, async () => {
  const { id } = await ask();
  await parleyAs('Ann', 'answer', id, 'approve');
  const { stdout } = await parleyAs('Bob', 'answer', id, 'approve');
  expect(stdout).toBe(`Answered ${id}. Your approval decided it.\n`);
});

test('[TEAM3, TEAM5, ASK8] at a terminal a vote is counted and the list continues, and a required reason is asked for', {
  timeout,
}, async () => {
  const { id } = await ask();
  const inbox = Terminal.open(['inbox', ...place()], { columns: 100, env: { PARLEY_TOKEN: await tokenOf('Ann') } });
  await inbox.shows(/● Release\?.*0 of 2 approvals/);
  inbox.type(keys.enter);
  await inbox.shows('Decided by 2 approvals or 2 denials.');
  await inbox.shows('Must say why: a no.');
  await inbox.shows(/◆ {2}Your answer\n/); // keys that are typed earlier would be lost
  inbox.type(keys.down, keys.down, keys.enter);
  await inbox.shows(/◆ {2}Why\?\n/);
  inbox.type(keys.enter);
  await inbox.shows('This answer needs a reason.');
  inbox.type('Not yet.', keys.enter);
  await inbox.shows('Your denial is counted: 0 of 2 approvals, 1 of 2 denials. It is not decided yet.');
  await inbox.shows(/● Release\?.*0 of 2 approvals, 1 of 2 denials/);
  inbox.type(keys.enter);
  await inbox.shows('Your denial stands. You can change it.');
  await parleyAs('Bob', 'answer', id, 'deny', '--reason', 'No.');
  await inbox.shows('-- Nothing waits for you.');
  expect(await inbox.end()).toBe(0);
});

test('[TEAM3, TEAM5, RPL5, SEC7] exports and audit show who voted and why, to whom it escalated, and who decided', {
  timeout,
}, async () => {
  const { tab, session, id } = await ask();
  await tab.event(session, 'interaction_escalated');
  await parleyAs('Ann', 'answer', id, 'deny', '--reason', 'Too early.');
  await parleyAs('Ann', 'answer', id, 'approve');
  await parleyAs('Bob', 'answer', id, 'approve', '--reason', 'Looks fine.');
  await tab.event(session, 'turn_end');
  const exportAs = async (format: string) =>
    (await runParley('export', session, '--format', format, '--data-dir', server.dataDir)).stdout;
  const words = [
    'Decided by 2 approvals or 2 denials',
    'To be explained: a no',
    'More were asked: operators',
    'Vote against it, by Ann',
    '0 of 2 approvals, 1 of 2 denials',
    'Too early.',
    'Vote for it, by Ann',
    ': 1 of 2 approvals',
    'Allowed once (2 of 2 approvals), by Bob',
    'Looks fine.',
  ];
  const [markdown, html] = [await exportAs('markdown'), await exportAs('html')];
  for (const text of [markdown.replace(/[*`]/g, ''), html.replace(/<[^>]*>/g, '')]) {
    for (const each of words) expect(text).toContain(each);
  }
  const events = (await exportAs('jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; payload: object });
  expect(events.filter(({ type }) => /_(vote|escalated|response)$/.test(type))).toMatchObject([
    { type: 'interaction_escalated', payload: { step: 1 } },
    { type: 'interaction_vote', payload: { action: 'deny', reason: 'Too early.', by: { name: 'Ann' } } },
    { type: 'interaction_vote', payload: { action: 'approve', votes: { approve: 1, deny: 0 } } },
    { type: 'interaction_response', payload: { reason: 'Looks fine.', votes: { approve: 2, deny: 0 } } },
  ]);
  const audit = await runParley('audit', '--session', session, '--data-dir', server.dataDir);
  const rows = audit.stdout.split('\n').filter((row) => row.includes(id));
  expect(rows).toEqual([
    expect.stringMatching(/ step 1 by nobody/),
    expect.stringMatching(/ vote: deny by Ann /),
    expect.stringMatching(/ vote: approve by Ann /),
    expect.stringMatching(/ approve \(once\) by Bob /),
  ]);
  expect(audit.stdout).not.toContain('Too early'); // the audit has decisions, but not what people wrote
});

test('[TEAM1, TEAM3, ASK8] parley approve asks the named people, requires several approvals and reasons', {
  timeout,
}, async () => {
  const { token } = await createToken(server.dataDir, '--role', 'asker', '--name', 'CI');
  for (const name of ['Ann', 'Bob'] as const) await tokenOf(name);
  const words = ['approve', 'Deploy?', '--subject', 'x', '--to', 'Ann', '--to', 'Bob', '--approvals', '2'];
  const bob = await server.open({ hello: { token: await tokenOf('Bob') } });
  const asking = new ParleyProcess([...words, '--why-for', 'deny', ...place()], { env: { PARLEY_ASK_TOKEN: token } });
  const { interaction } = await bob.waitFor('interaction_opened');
  expect(interaction).toMatchObject({
    audience: { principals: ['Ann', 'Bob'] },
    decide: { approve: 2 },
    reasonRequired: ['deny'],
  });
  for (const name of ['Ann', 'Bob'] as const) await parleyAs(name, 'answer', interaction.interactionId, 'approve');
  await asking.end();
  expect(asking.stdout).toBe('approved\n');
});

test.each([
  [['--approvals', 'two'], /--approvals: must be a number from 1 to 50/],
  [['--why-for', 'submit'], /--why-for: "submit" is not one of approve, deny, cancel/],
])('[ASK8] parley approve %j is wrong usage: code 2', { timeout }, async (flags, said) => {
  const { code, stderr } = await runParley('approve', 'Deploy?', '--subject', 'x', ...flags);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(said) });
});

test('[ASK8, APR7] parley answer lists only the scopes that its person may choose', { timeout }, async () => {
  const operator = { PARLEY_TOKEN: String(server.ready.token), PARLEY_ASK_TOKEN: '' };
  const words = ['approve', 'Deploy?', '--subject', 'v2', '--for-session', '--for-always', ...place()];
  const asking = new ParleyProcess(words, { env: operator });
  await expect.poll(async () => (await parleyAs('Ann', 'inbox')).stdout).toContain('Deploy?');
  const [id = ''] = (await parleyAs('Ann', 'inbox')).stdout.split(' ');
  const whole = await new ParleyProcess(['answer', id, ...place()], { env: operator }).end();
  expect(whole.stdout).toContain('--scope: once, session, always\n');
  expect((await parleyAs('Ann', 'answer', id)).stdout).toContain('--scope: once, session\n');
  expect(await parleyAs('Ann', 'answer', id, 'deny')).toMatchObject({ code: 0 });
  expect(await asking.end()).toMatchObject({ code: 1 });
});
