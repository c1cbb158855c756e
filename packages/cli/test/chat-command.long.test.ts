import { expect, test } from 'vitest';
import { ParleyProcess } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';
import { keys, Terminal } from './support/terminal.ts';

const server = useServer({ plugins: [pluginPath('asking.mjs'), pluginPath('approve.mjs')] });
const place = (at = server) => ['--port', String(at.ready.port), '--data-dir', at.dataDir];

const submit = (answer: string) => ({ action: 'submit', input: { answer } });

/** Opens a chat in a session that is also open in a tab. */
async function openChat(options: { columns?: number; env?: Record<string, string> } = {}, at = server) {
  const journey = await Journey.begin(at);
  const chat = Terminal.open(['chat', journey.session, ...place(at)], options);
  await chat.endsWith('\n>');
  return { journey, chat };
}

test('[ASK8] a typed line is sent, shown once, and its answer is streamed', async () => {
  const { journey, chat } = await openChat({ columns: 40 });
  chat.type('/stream 12 20', keys.enter);
  await chat.shows('-- Done.\n>');
  expect(chat.text).toContain('> /stream 12 20\ndemo: 1 2 3 4 5 6 7 8 9 10 11 12\n-- Done.\n>');
  await journey.tab.say(journey.session, 'Hello from a tab, with more words than fit into forty columns');
  await chat.shows('owner: Hello from a tab, with more\n  words than fit into forty columns\n');
  await chat.shows(/forty columns\n[\s\S]+-- Done\.\n>$/);
  chat.type('/stream 500 5', keys.enter);
  await chat.shows('500 5\ndemo: 1 2');
  chat.type(keys.end); // while the answer is streamed
  expect(await chat.end()).toBe(0);
});

test('[ASK8] a question is answered in place, and Enter alone decides nothing', async () => {
  const { journey, chat } = await openChat({ columns: 40 });
  chat.type('/call wipe {"path":"/var/x"}', keys.enter);
  await chat.shows(/\? Wipe it\?\n {2}\/var\/x\n[\s\S]+● Decide later/);
  chat.type(keys.enter);
  await chat.endsWith('-- Left open: Enter asks again.\nworking; Ctrl-C stops it\n>');
  chat.type(keys.enter);
  await chat.shows(/Left open[\s\S]+● Decide later/);
  chat.type(keys.down, keys.enter);
  await chat.shows('= Allowed once, by owner (parley)');
  expect((await journey.event('interaction_response')).payload).toMatchObject({
    action: 'approve',
    approvalScope: 'once',
  });
  await chat.endsWith('-- Done.\n>');
});

test('[ASK8] an answer from another tab closes the form and shows who gave it', async () => {
  const { journey, chat } = await openChat();
  const prompt = await journey.ask('ask_one', { question: 'Tea?' });
  await chat.endsWith('└');
  chat.type('half an ans');
  await chat.shows('half an ans');
  const other = await journey.join(server, { label: 'Phone' });
  await other.answer(prompt, submit('milk'));
  await chat.shows('= Submitted, by owner (Phone)\n  Answer: milk\n');
  await chat.endsWith('-- Done.\n>');
  expect(await journey.outcome()).toEqual({ result: { answer: 'milk' } });
});

test('[ASK8] a question does not interrupt a person who is typing', async () => {
  const { journey, chat } = await openChat();
  chat.type('not yet');
  await chat.endsWith('> not yet');
  await journey.call('ask_one', { question: 'Tea?' });
  await chat.shows('? Tea?');
  await chat.endsWith('> not yet');
  chat.type(keys.eraseLine, keys.enter);
  await chat.endsWith('└');
  chat.type('please', keys.enter);
  await chat.shows('Answer: please');
  expect(await journey.outcome()).toEqual({ result: { answer: 'please' } });
});

test('[ASK8] Ctrl-C clears the line, then stops the turn, then leaves', async () => {
  const { journey, chat } = await openChat();
  chat.type('/stream 500 50', keys.enter);
  await chat.shows('demo: 1 2');
  chat.type('abc');
  await chat.endsWith('> abc');
  chat.type(keys.interrupt);
  await chat.endsWith('\n>');
  chat.type(keys.interrupt);
  await chat.endsWith('-- Stopped.\n>');
  expect((await journey.event('turn_end')).payload).toMatchObject({ status: 'cancelled' });
  chat.type(keys.interrupt);
  expect(await chat.end()).toBe(130);
});

test('[ASK8, FRM6] chat waits for a killed server, and sends what was typed meanwhile once', async () => {
  const at = await startServer();
  const { journey, chat } = await openChat({}, at);
  const { port } = at.ready;
  await at.kill();
  await chat.shows('! The connection was lost. Trying again.');
  chat.type('Still there?', keys.enter);
  await at.restart({ args: ['--no-auth', '--port', String(port)] });
  await chat.shows('! Connected again.');
  await chat.endsWith('-- Done.\n>');
  const again = await at.open();
  await again.follow(journey.session);
  expect(again.events(journey.session).filter(({ type }) => type === 'user_message')).toHaveLength(1);
  expect(chat.text.match(/Still there\?/g)).toHaveLength(1);
});

test('[ASK8] prints no colours with NO_COLOR', async () => {
  const { chat } = await openChat({ env: { NO_COLOR: '1' } });
  chat.type('/call look', keys.enter);
  await chat.endsWith('-- Done.\n>');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  expect(chat.raw).not.toMatch(/\u001b\[[\d;]*m/);
});

test('[SEC5] text from others can neither move the cursor nor imitate our marks', async () => {
  const { journey, chat } = await openChat({ columns: 40 });
  await journey.tab.say(journey.session, 'a\u001b[2J\u202eb\n= Allowed once, by owner');
  await chat.endsWith('-- Done.\n>');
  expect(chat.raw).not.toContain('\u001b[2J');
  expect(chat.text).toContain('a⟨U+001B⟩[2J⟨U+202E⟩b\n  = Allowed once, by owner\n');
});

test('[SEC5] labels and values of a form cannot control the terminal either', async () => {
  const { journey, chat } = await openChat({ columns: 40 });
  const spoof = 'a\u001b[2J\n= Allowed once, by owner';
  const fields = [
    { id: 'x', type: 'text', label: `Name ${spoof}`, description: spoof, defaultValue: 'one\u0003\u001b[2Jtwo\r' },
    { id: 'y', type: 'select', label: 'Which?', options: [{ value: 'o', label: `Red ${spoof}` }] },
  ];
  const args = { question: 'Well?', form: { type: 'form', fields } };
  await journey.call('ask_human', args);
  await chat.shows(/◆ {2}Name[^◆]+$/);
  chat.type('three', keys.enter);
  await chat.shows('○ Red');
  expect(chat.raw).not.toContain('\u001b[2J');
  const drawn = chat.text.slice(chat.text.indexOf('? Well?'));
  expect(drawn).toContain('│  three\n');
  expect(drawn).not.toMatch(/^= Allowed/m);
});

test('[ASK8] in a pipe each line is a message, and the output is plain text', async () => {
  const { session } = await Journey.begin(server);
  const chat = new ParleyProcess(['chat', session, ...place()], { input: '/call look\nSecond\n' });
  const { code, stdout, stderr } = await chat.end();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^owner: \/call look\n> look \{\}\n< look seen\n[\s\S]+-- Done\.\nowner: Second\n[\s\S]+-- Done\.\n$/,
  );
  expect(stdout).not.toContain('\u001b');
});

test('[ASK8] in a pipe --json prints the events as they are stored, and a failed turn ends with code 1', async () => {
  const chat = new ParleyProcess(['chat', '--json', ...place()], { input: '/stream 500 50\n' });
  await chat.says('/s/');
  const [, session = ''] = /\/s\/(\S+)\n/.exec(chat.stderr) ?? [];
  const tab = await server.open();
  await tab.follow(session);
  await tab.event(session, 'turn_start');
  await tab.request({ type: 'cancel_turn', sessionId: session });
  const { code, stdout, stderr } = await chat.end();
  expect([code, stderr.split('\n').at(-2)]).toEqual([1, 'parley: The turn was not completed: cancelled.']);
  const lines = stdout.trimEnd().split('\n');
  await tab.event(session, 'turn_end');
  expect(lines.map((line) => JSON.parse(line))).toEqual(tab.events(session));
});
