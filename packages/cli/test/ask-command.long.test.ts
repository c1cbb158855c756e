import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createToken, ParleyProcess } from '../../server/test/support/command.ts';
import type { ServerProcess } from '../../server/test/support/server-process.ts';
import type { Tab } from '../../server/test/support/tab.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';
import { lineOf } from '../src/io/topic.ts';

const timeout = 60_000;
const ownToken = 'a-token-for-this-test';
const server = useServer({ args: ['--token', ownToken] });

let asker: string;
let owner: Tab;
beforeAll(async () => {
  asker = (await createToken(server.dataDir, '--role', 'asker', '--name', 'ci')).token;
  owner = await server.open({ hello: { token: ownToken } });
});

interface RunOptions {
  readonly at?: ServerProcess;
  readonly as?: string;
  readonly input?: string;
}

/** Runs a command that asks, with an asker's token and the server's data directory. */
function run(words: readonly string[], { at = server, as = asker, input }: RunOptions = {}): ParleyProcess {
  const place = ['--port', String(at.ready.port), '--data-dir', at.dataDir];
  const env = { PARLEY_ASK_TOKEN: as, PARLEY_TOKEN: '' };
  return new ParleyProcess([...words, ...place], { env, ...(input !== undefined && { input }) });
}

/** Starts a server that may be killed, and a command that waits for an answer. */
async function startAsking(...flags: string[]) {
  const at = await startServer({ args: ['--token', ownToken] });
  const { token } = await createToken(at.dataDir, '--role', 'asker');
  const asking = run(['ask', 'Still there?', ...flags], { at, as: token });
  await asking.says('Waiting');
  return { at, token, asking, port: at.ready.port };
}

/** Finds the prompt for which a command waits. */
async function promptOf(asking: ParleyProcess, tab = owner) {
  await asking.says('Waiting for an answer at ');
  const [, sessionId = ''] = /\/s\/(\S+)\n/.exec(asking.stderr) ?? [];
  await tab.follow(sessionId);
  return { sessionId, ...(await tab.event(sessionId, 'interaction_request')).payload };
}

async function answer(asking: ParleyProcess, given: object, tab = owner) {
  const prompt = await promptOf(asking, tab);
  await tab.answer(prompt.sessionId, prompt, given);
  return prompt;
}

const submit = (value: unknown) => ({ action: 'submit', input: { answer: value } });

describe('parley ask', () => {
  test('[ASK8] prints what a person wrote, and where to answer on stderr', { timeout }, async () => {
    const asking = run([
      'ask',
      'What shall it be called?',
      '--title',
      'A name',
      '--from',
      'Release',
      '--channel',
      'text',
    ]);
    const prompt = await answer(asking, submit('Ada'));
    expect(prompt).toMatchObject({ title: 'A name', prompt: 'What shall it be called?' });
    const url = `http://127.0.0.1:${server.ready.port}/s/${prompt.sessionId}`;
    expect(await asking.end()).toEqual({ code: 0, stdout: 'Ada\n', stderr: `Waiting for an answer at ${url}\n` });
  });

  test('[ASK8] several options give one line each, and the whole result with --json', { timeout }, async () => {
    const words = [
      'ask',
      'Which?',
      '--option',
      'a',
      '--option',
      'b',
      '--multiple',
      '--channel',
      'many',
      '--key',
      'many',
    ];
    const asking = run(words);
    await answer(asking, submit(['a', 'b']));
    expect(await asking.end()).toMatchObject({ code: 0, stdout: 'a\nb\n' });
    const { code, stdout } = await run([...words, '--json']).end();
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { ok: true, answer: ['a', 'b'], by: { principal: 'owner' }, at: expect.any(String) },
    ]);
  });

  test('[ASK8] a schema from stdin asks for several values', { timeout }, async () => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    const asking = run(['ask', 'How many?', '--schema', '-', '--channel', 'schema'], { input: JSON.stringify(schema) });
    await answer(asking, { action: 'submit', input: { count: 3 } });
    expect(await asking.end()).toMatchObject({ code: 0, stdout: '{"count":3}\n' });
  });

  test('[ASK8] a cancelled question ends with 1 and prints nothing on stdout', { timeout }, async () => {
    const asking = run(['ask', 'Well?', '--channel', 'no']);
    await answer(asking, { action: 'cancel' });
    expect(await asking.end()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/\nparley: .+ cancelled the question\.\n$/),
    });
  });

  test('[ASK8] a timeout ends with code 3', { timeout }, async () => {
    const words = ['ask', 'Quick?', '--timeout', '1s', '--channel', 'late'];
    expect(await run(words).end()).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/\nparley: Nobody answered in time\.\n$/),
    });
    expect(await run([...words, '--json']).end()).toMatchObject({
      code: 3,
      stdout: '{"ok":false,"error":"timeout"}\n',
    });
  });

  test('[ASK8] a key identifies its question: with another question it is refused', { timeout }, async () => {
    const asking = run(['ask', 'One?', '--key', 'one', '--channel', 'key']);
    await promptOf(asking);
    expect(await run(['ask', 'Two?', '--key', 'one', '--channel', 'key']).end()).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Give each question a --key of its own.'),
    });
    const twin = run(['ask', 'One?', '--key', 'one', '--channel', 'key']);
    await twin.says('Waiting');
    await answer(asking, submit('yes'));
    expect(await Promise.all([asking.end(), twin.end()])).toMatchObject([
      { code: 0, stdout: 'yes\n' },
      { code: 0, stdout: 'yes\n' },
    ]);
  });

  test('[ASK8, ASK5] a secret is printed once, and later runs fail', { timeout }, async () => {
    const form = { type: 'form', fields: [{ id: 'pin', type: 'secret', label: 'PIN' }] };
    const words = ['ask', 'PIN?', '--form', '-', '--key', 'pin', '--channel', 'pin'];
    const again = () => run(words, { input: JSON.stringify(form) });
    const asking = again();
    await answer(asking, { action: 'submit', input: { pin: 'canary-4711' } });
    expect(await asking.end()).toMatchObject({ code: 0, stdout: '{"pin":"canary-4711"}\n' });
    await again().end(); // one more request may get it
    expect(await again().end()).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('given out already'),
    });
  });
});

test('[ASK8, INT14] if nobody could answer, the command says what to do, and not that it waits', {
  timeout,
}, async () => {
  const at = await startServer({ args: ['--token', ownToken] });
  const { code, stdout, stderr } = await run(['call', 'collect_email', '{}'], { at, as: ownToken }).end();
  expect([code, stdout]).toEqual([5, '']);
  expect(stderr).toMatch(
    /^parley: Nobody who may answer is connected: open a page of Parley, or run "parley inbox --wait"/,
  );
});

describe('parley approve', () => {
  const diff = '--- a\n+++ b\n@@ -1,1 +1,1 @@\n-x\n+y\n';

  test('[ASK8] shows stdin unchanged, and ends with 0 for a yes', { timeout }, async () => {
    const words = ['approve', 'Deploy?', '--subject-file', '-', '--kind', 'diff', '--risk', 'high', '--channel', 'yes'];
    const asking = run(words, { input: diff });
    const prompt = await answer(asking, { action: 'approve' });
    expect(prompt).toMatchObject({ title: 'Deploy?', subject: { kind: 'diff', text: diff }, risk: 'high' });
    expect(await asking.end()).toMatchObject({ code: 0, stdout: 'approved\n' });
  });

  test('[ASK8, ASK3] a no ends with code 1 and its reason, whatever scopes were offered', { timeout }, async () => {
    const lasting = ['--for-session', '--for-always'];
    const asking = run(['approve', 'Deploy?', '--subject', 'v2', '--channel', 'denied', ...lasting]);
    const prompt = await answer(asking, { action: 'deny', reason: 'Not on a Friday.' });
    expect(prompt).toMatchObject({ approvalScopes: ['once', 'session', 'always'] });
    expect(await asking.end()).toMatchObject({ code: 1, stdout: 'denied: Not on a Friday.\n' });
  });
});

describe('parley call', () => {
  test('[ASK8, ASK2] runs any tool for an operator, and only tools that ask for an asker', { timeout }, async () => {
    const told = run(['call', 'tell_human', '{"text":"Done."}', '--channel', 'told']);
    expect(await told.end()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+\n$/) });
    const words = ['call', 'run_command', '-', '--channel', 'shell-tool'];
    const input = '{"command":"echo hello"}';
    expect(await run(words, { input }).end()).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('an operator'),
    });
    const calling = run(words, { as: ownToken, input });
    await answer(calling, { action: 'approve' });
    const { code, stdout } = await calling.end();
    expect([code, JSON.stringify(JSON.parse(stdout))]).toEqual([0, expect.stringContaining('hello')]);
  });
});

describe('a server that stops', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    '[ASK8] %s ends the server while a command waits: the next one has the same question, and its answer',
    {
      timeout,
    },
    async (signal) => {
      const { at, asking, port } = await startAsking();
      const { toolCallId } = await promptOf(asking, await at.open({ hello: { token: ownToken } }));
      await at.kill(signal);
      await asking.says(`No server answers at 127.0.0.1:${port}. Trying again.`);
      await at.restart({ args: ['--token', ownToken, '--port', String(port)] });
      const after = await answer(asking, submit('yes'), await at.open({ hello: { token: ownToken } }));
      expect(after.toolCallId).toBe(toolCallId);
      expect(await asking.end()).toMatchObject({ code: 0, stdout: 'yes\n' });
    },
  );

  test('[ASK8] if the server stays unreachable until the deadline, the code is 3', { timeout }, async () => {
    const { at, asking } = await startAsking('--timeout', '2s');
    await at.kill();
    expect(await asking.end()).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('The timeout has passed'),
    });
  });

  test('[ASK8, SEC2] another program on its port gets neither token nor question', { timeout }, async () => {
    const { at, asking, port, token } = await startAsking();
    await at.kill();
    const heads: string[] = [];
    const impostor = createServer((request, response) => {
      heads.push(JSON.stringify(request.headers));
      response.end('{"status":"done","result":{"ok":true,"answer":"forged"}}');
    });
    onTestFinished(() => void impostor.close());
    impostor.listen(port, '127.0.0.1');
    expect(await asking.end()).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('is not the server of'),
    });
    expect(heads.join()).not.toContain(token);
  });
});

describe('Ctrl-C', () => {
  test('[ASK8, ASK4] takes the question back', { timeout }, async () => {
    const asking = run(['ask', 'Never mind?', '--channel', 'back']);
    const { sessionId, interactionId } = await promptOf(asking);
    asking.kill('SIGINT');
    expect(await asking.end()).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringMatching(/\nparley: Withdrawn\.\n$/),
    });
    const { payload } = await owner.event(sessionId, 'interaction_closed');
    expect(payload).toMatchObject({ interactionId, reason: 'withdrawn', note: 'Withdrawn at the terminal.' });
  });

  test('[ASK8, ASK4] after an answer prints the answer', { timeout }, async () => {
    const asking = run(['ask', 'Just now?', '--channel', 'meanwhile']);
    const prompt = await promptOf(asking);
    asking.kill('SIGSTOP'); // so that the answer and SIGINT arrive together
    await owner.answer(prompt.sessionId, prompt, submit('yes'));
    asking.kill('SIGINT');
    asking.kill('SIGCONT');
    expect(await asking.end()).toMatchObject({ code: 0, stdout: 'yes\n' });
  });

  test('[ASK8] without a server reports that the question stays open', { timeout }, async () => {
    const { at, asking } = await startAsking();
    await at.kill();
    await asking.says('Trying again.');
    asking.kill('SIGINT');
    expect(await asking.end()).toMatchObject({ code: 130, stderr: expect.stringContaining('could not be withdrawn') });
  });
});

describe('errors', () => {
  test.each([
    [['ask'], /missing required argument 'question'/],
    [['ask', 'Well?', '--timeout', 'soon'], /--timeout: "soon" is not a duration such as 90s/],
    [['ask', 'Well?', '--channel', 'a b'], /--channel: must be 1 to 64 letters/],
    [['ask', 'Well?', '--schema', '/nowhere.json'], /--schema: \/nowhere\.json could not be read/],
    [['ask', 'Well?', '--multiple'], /multiple.*is about "options"/],
    [['ask', ' '], /question/],
    [['call', 'tell_human', '['], /<json>: this is not JSON/],
    [['call', 'tell_human', '[]'], /<json>: must be an object/],
    [['approve', 'Deploy?'], /Say what should be approved/],
    [['approve', 'Deploy?', '--subject', ''], /subject/],
    [['approve', 'Deploy?', '--subject', 'x', '--risk', 'huge'], /Allowed choices are low, medium, high/],
  ])('[ASK8] %j is wrong usage: code 2', { timeout }, async (words, said) => {
    expect(await run(words).end()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
  });

  test.each([
    ['a port', freePort],
    ['a port to which `fetch` never connects', () => 9],
  ])('[ASK8] no server at %s is code 4 at the start', { timeout }, async (_, findPort) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const place = ['--port', String(await findPort()), '--data-dir', dataDir];
    expect(await new ParleyProcess(['ask', 'Well?', ...place]).end()).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /^parley: No server answers at 127\.0\.0\.1:\d+\. If it listens elsewhere, say where with --host and --port, or with --url\.\n {8}docs\/troubleshooting\.md#no-server\n$/,
      ),
    });
  });

  test('[ASK8, ASK2] a wrong token and a wrong role end with code 5 and the way to fix it', { timeout }, async () => {
    const wrong = run(['ask', 'Well?', '--token', 'not-the-token-of-it']);
    expect(await wrong.end()).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/Set PARLEY_ASK_TOKEN.*parley token create --role asker/),
    });
    for (const role of ['viewer', 'responder']) {
      const { token } = await createToken(server.dataDir, '--role', role);
      const { code, stderr } = await run(['ask', 'Well?'], { as: token }).end();
      expect([code, stderr]).toEqual([5, expect.stringContaining('takes a token with the role asker or operator')]);
    }
  });

  test('[ASK8] another program on the port is code 5', { timeout }, async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const page = createServer((_, response) => response.end('<h1>Hello</h1>'));
    const other = createSocketServer((socket) => socket.end('220 mail.test ESMTP\r\n'));
    for (const port of [await listen(page), await listen(other)]) {
      const asking = new ParleyProcess(['ask', 'Well?', '--port', String(port), '--data-dir', dataDir]);
      expect(await asking.end()).toMatchObject({
        code: 5,
        stdout: '',
        stderr: `parley: What listens at 127.0.0.1:${port} is not a Parley server that can be asked.\n${lineOf('not-parley')}`,
      });
    }
  });

  test('[ASK8] help shows examples and exit codes', { timeout }, async () => {
    for (const command of ['ask', 'approve']) {
      const { code, stdout } = await new ParleyProcess([command, '--help']).end();
      expect([code, stdout]).toEqual([0, expect.stringMatching(/Examples:\n {2}[\s\S]+Exit codes: 0 yes/)]);
    }
  });

  test('[SEC5] text from a person cannot move the cursor', { timeout }, async () => {
    const file = join(server.dataDir, 'form.json');
    await writeFile(file, JSON.stringify({ type: 'form', fields: [{ id: 'x', type: 'text', label: 'X' }] }));
    const asking = run(['ask', 'Well?', '--form', file, '--channel', 'form']);
    await answer(asking, { action: 'submit', input: { x: 'a\u001b[2J' } });
    expect(await asking.end()).toMatchObject({ code: 0, stdout: '{"x":"a\\u001b[2J"}\n' });
  });
});

async function listen(listener: Server): Promise<number> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  return (listener.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const listener = createSocketServer();
  const port = await listen(listener);
  listener.close();
  return port;
}
