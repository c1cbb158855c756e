import { afterEach, expect, test } from 'vitest';
import { ParleyProcess } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { useServer } from '../../server/test/support/use-server.ts';
import { keys, Terminal } from './support/terminal.ts';

const server = useServer({ plugins: [pluginPath('asking.mjs'), pluginPath('approve.mjs')] });
const place = () => ['--port', String(server.ready.port), '--data-dir', server.dataDir];
const openInbox = (columns = 80) => Terminal.open(['inbox', ...place()], { columns });

/** Deletes the sessions, so that no test leaves open questions to the next. */
afterEach(async () => {
  const tab = await server.open();
  const { open } = await tab.waitFor('welcome');
  for (const { sessionId } of open) await tab.request({ type: 'delete_session', sessionId });
});

test('[ASK8] at a terminal a person chooses a question, answers it, and continues with the next', async () => {
  const [first, second] = [await Journey.begin(server), await Journey.begin(server)];
  const asked = await first.ask('ask_one', { question: 'Tea or coffee?' });
  await second.ask('wipe', { path: '/var/x' });
  const inbox = openInbox(40);
  await inbox.shows(/● Tea or coffee\?[\s\S]+○ Wipe it\?[\s\S]+○ Leave/);
  inbox.type(keys.enter);
  await inbox.shows(/◆ {2}Answer/);
  inbox.type('tea', keys.enter);
  await inbox.shows('= Submitted, by owner (parley)\n  Answer: tea\n');
  expect(await first.outcome(asked)).toEqual({ result: { answer: 'tea' } });
  await inbox.shows(/Answer: tea[\s\S]+● Wipe it\?/);
  inbox.type(keys.enter);
  await inbox.shows(/\? Wipe it\?\n {2}\/var\/x[\s\S]+● Decide later/);
  inbox.type(keys.down, keys.down, keys.down, keys.down, keys.enter);
  await inbox.shows('Why? (may be left empty)');
  inbox.type('Not on a Friday.', keys.enter);
  await inbox.shows('= Denied, by owner (parley)\n  Not on a Friday.\n');
  await inbox.shows('-- Nothing waits for you.');
  expect(await inbox.end()).toBe(0);
});

test('[ASK8] a question that somebody else answers leaves the list, with the name of that person', async () => {
  const [first, second] = [await Journey.begin(server), await Journey.begin(server, { label: 'Phone' })];
  await first.ask('ask_one', { question: 'Mine?' });
  const theirs = await second.ask('wipe', { path: '/var/x' });
  const inbox = openInbox();
  await inbox.shows(/● Mine\?[\s\S]+○ Wipe it\?/);
  await second.answer(theirs, { action: 'deny' });
  await inbox.shows(/-- Wipe it\?\n= Denied, by owner \(Phone\)\n[\s\S]+● Mine\?/);
  inbox.type(keys.escape);
  expect(await inbox.end()).toBe(0);
});

test('[ASK8, INT9] a question that its tool no longer waits for is answered late', async () => {
  const journey = await Journey.begin(server);
  await journey.ask('survey', { timeoutMs: 50 });
  await journey.event('interaction_pending');
  const inbox = openInbox();
  await inbox.shows('late answers are taken');
  inbox.type(keys.enter);
  await inbox.shows(/◆ {2}Rating/); // an earlier key would reach the list
  inbox.type(keys.escape);
  await inbox.shows('Leave the form?');
  inbox.type(keys.down, keys.enter);
  await inbox.shows('= Cancelled, late, by owner (parley)');
});

test('[REV4] what people said under a question is shown with it', async () => {
  const journey = await Journey.begin(server);
  const { interactionId } = await journey.ask('wipe', { path: '/var/x' });
  const { session: sessionId } = journey;
  await journey.tab.request({
    type: 'comment_interaction',
    sessionId,
    interactionId,
    commentId: 'k',
    text: 'Is there\na backup?',
  });
  const inbox = openInbox(200);
  await inbox.shows(/● Wipe it\? .*owner says: Is there a backup\?/);
  inbox.type(keys.enter);
  await inbox.shows(/-- owner says: Is there\n {2}a backup\?[\s\S]+● Decide later/);
  inbox.type(keys.escape);
});

test('[ASK8] without a terminal, and with --list, it prints a list', async () => {
  const journey = await Journey.begin(server);
  const { interactionId } = await journey.ask('ask_one', { question: 'Well?' });
  const piped = await new ParleyProcess(['inbox', ...place()]).end();
  expect(piped).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^${interactionId} {2}input {2}Well`)),
  });
  expect(piped.stdout).not.toContain(journey.session); // it shows the session's title
  const listed = Terminal.open(['inbox', '--list', ...place()], { columns: 200 });
  expect(await listed.end()).toBe(0);
  expect(`${listed.text}\n`).toBe(piped.stdout);
});

test('[ASK8] it ends with a message if there are no questions', async () => {
  const inbox = openInbox();
  expect(await inbox.end()).toBe(0);
  expect(inbox.text).toBe('-- Nothing waits for you.');
});

test('[ASK8, INT15] with --wait it stays for the questions that come, rings, and counts as somebody who may answer', async () => {
  const inbox = Terminal.open(['inbox', '--wait', ...place()], { columns: 100 });
  await inbox.shows('-- Nothing waits for you. New questions appear here; Ctrl-C ends this.');
  const journey = await Journey.begin(server, { enabled: false });
  const asked = await journey.ask('ask_one', { question: 'Tea?' });
  await inbox.shows('● Tea?');
  expect(inbox.raw).toContain('\u0007');
  inbox.type(keys.enter);
  await inbox.shows(/◆ {2}Answer/);
  inbox.type('yes', keys.enter);
  expect(await journey.outcome(asked)).toEqual({ result: { answer: 'yes' } });
  await inbox.shows(/Answer: yes[\s\S]+Nothing waits for you\. New questions/);
  inbox.type(keys.interrupt);
  expect(await inbox.end()).toBe(130);
  const piped = await new ParleyProcess(['inbox', '--wait', ...place()]).end();
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('--wait') });
});
