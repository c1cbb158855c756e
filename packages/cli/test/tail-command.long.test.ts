import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ParleyProcess, runParley } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';
import { Terminal } from './support/terminal.ts';

const server = useServer({ plugins: [pluginPath('asking.mjs'), pluginPath('approve.mjs')] });
const place = (at = server) => ['--port', String(at.ready.port), '--data-dir', at.dataDir];
const tail = (...words: string[]) => runParley('tail', ...words, ...place());

/** Creates a session with this many finished turns. */
async function talk(messages = 2): Promise<Journey> {
  const journey = await Journey.begin(server);
  let after = 0;
  for (let n = 0; n < messages; n += 1) {
    await journey.call('look', { n });
    after = (await journey.event('turn_end', undefined, after)).seq;
  }
  return journey;
}

test('[ASK8] prints the last events as people read them, and ends with --no-follow', async () => {
  const journey = await talk();
  const prompt = await journey.ask('wipe', { path: '/var/x' });
  await journey.answer(prompt, { action: 'deny', reason: 'Not on a Friday.' });
  const { seq } = await journey.event('interaction_response');
  await journey.event('turn_end', undefined, seq);
  const { code, stdout } = await tail(journey.session, '--lines', '8', '--no-follow');
  expect([code, stdout.replaceAll(/^\d\d:\d\d:\d\d /gm, '')]).toEqual([
    0,
    expect.stringMatching(
      /^-- \d{4}-\d\d-\d\d \(UTC\)\nowner: \/call wipe .+\n> wipe .+\n\? Wipe it\?\n {2}\/var\/x\n.+\n= Denied, by owner\n {2}Not on a Friday\.\n< wipe .+\ndemo: wipe returned: .+\n-- Done\.\n$/,
    ),
  ]);
  expect(stdout).not.toContain('\u001b');
});

test('[ASK8] --json prints the log as it is stored, however long', async () => {
  const journey = await talk(30);
  const { stdout } = await tail(journey.session, '--lines', 'all', '--no-follow', '--json');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(journey.events());
  const some = await tail(journey.session.slice(0, -1), '-n', '3', '--no-follow', '--json');
  expect(some.stdout.trimEnd().split('\n')).toEqual(lines.slice(-3));
});

test('[ASK8, RPL1] follows a session through a kill of the server: each event once and in order', async () => {
  const at = await startServer();
  const { port } = at.ready;
  const journey = await Journey.begin(at);
  await journey.call('free');
  await journey.event('turn_end');
  const following = new ParleyProcess(['tail', journey.session, '-n', 'all', '--json', ...place(at)]);
  await following.prints('turn_end');
  await at.kill();
  await following.says('The connection was lost. Trying again.');
  await at.restart({ args: ['--no-auth', '--port', String(port)] });
  await following.says('Connected again.');
  const tab = await at.open();
  await tab.follow(journey.session);
  const { seq } = await tab.say(journey.session, 'Again');
  const { id } = await tab.event(journey.session, 'turn_end', undefined, seq);
  await following.prints(id);
  following.kill('SIGINT');
  expect((await following.end()).code).toBeNull(); // ended by the signal
  expect(
    following.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(tab.events(journey.session));
});

test('[ASK8] a reader that closes the pipe ends it without an error', async () => {
  const { session } = await talk();
  const child = spawn(process.execPath, [mainPath, 'tail', session, '--lines', 'all', '--json', ...place()]);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const exit = once(child, 'exit'); // it may end before the next message
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const tab = await server.open();
  await tab.say(session, 'More');
  const [code] = await exit;
  expect([code, stderr]).toEqual([0, '']);
});

test('[ASK8] at a terminal of forty columns lines break between words and are indented', async () => {
  const journey = await Journey.begin(server);
  const { session } = journey;
  await journey.tab.say(session, 'Hello, with more words than fit into forty columns');
  await journey.event('turn_end');
  const following = Terminal.open(['tail', session, '--no-follow', ...place()], { columns: 40 });
  expect(await following.end()).toBe(0);
  expect(following.text).toMatch(
    /^-- .+\n\d\d:\d\d:\d\d owner: Hello, with more words\n {2}than fit into forty columns\n/,
  );
  for (const row of following.text.split('\n')) expect(row).toMatch(/^(\d\d:\d\d:\d\d |-- | {2}|$)/);
});

test('[ASK8, OPS5] a session that is deleted ends it', async () => {
  const journey = await talk(1);
  const following = new ParleyProcess(['tail', journey.session, ...place()]);
  await following.prints('-- Done.');
  await journey.tab.ask({ type: 'delete_session', sessionId: journey.session });
  expect(await following.end()).toMatchObject({ code: 5, stderr: expect.stringContaining('The session was deleted') });
});

test.each([
  [['x', '--lines', 'many'], /--lines: must be a number or "all"/],
  [[], /missing required argument 'sessionId'/],
])('[ASK8] parley tail %j is wrong usage: code 2', async (words, said) => {
  expect(await tail(...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
});
