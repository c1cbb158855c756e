import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ParleyProcess, type PersonTab, startParley } from '@parleyhq/client/process';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Editor, openPrompt } from './editor-stage.ts';

const timeout = 60_000;

let server: ParleyProcess;
let tab: PersonTab;

beforeAll(async () => {
  server = await startParley();
}, timeout);
beforeEach(async () => {
  tab = await server.tab();
});
afterAll(() => server.stop());

const yes = { outcome: { outcome: 'selected' as const, optionId: 'once' } };

test('[ACP2] a permission is asked in the editor and in every tab; the tab answers first, and the editor’s dialog closes', {
  timeout,
}, async () => {
  const editor = await Editor.open(server);
  const turn = editor.prompt('plan\nask:touch_a');
  const person = await openPrompt(server, tab);
  const prompt = await person.prompt();
  expect(prompt).toMatchObject({
    toolName: 'acp_permission',
    title: expect.stringMatching(/: touch a$/),
    subject: { kind: 'command', text: 'touch a' },
    rules: [{ label: expect.stringContaining('Always, everywhere'), keptByCaller: true }],
  });
  await expect.poll(() => editor.dialogs.length, { timeout }).toBe(1);
  await person.answer(prompt, { action: 'approve' });
  expect(await turn).toBe('end_turn');
  expect(editor.notes).toEqual(['permission once']);
  await expect.poll(() => editor.dialogs[0]?.signal.aborted).toBe(true);
  expect(person.session.state.session).toMatchObject({ title: 'shop' });
  const told = person.events('tool_call').map(({ payload }) => JSON.stringify(payload));
  expect(told.find((call) => call.includes('tell_human'))).toContain('Boil');
});

test('[ACP2] the editor answers first: the card closes, and says where it was answered', { timeout }, async () => {
  const editor = await Editor.open(server);
  const turn = editor.prompt('ask:touch_b');
  const person = await openPrompt(server, tab);
  await person.prompt();
  await expect.poll(() => editor.dialogs.length, { timeout }).toBe(1);
  editor.dialogs[0]?.answer(yes);
  expect(await turn).toBe('end_turn');
  expect(editor.notes).toEqual(['permission once']);
  const { payload } = await person.event('interaction_closed');
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'Answered in the editor' });
});

test('[ACP2] a stop in the editor closes the card, and the agent’s turn ends', { timeout }, async () => {
  const editor = await Editor.open(server);
  const turn = editor.prompt('ask:touch_c');
  const person = await openPrompt(server, tab);
  await person.prompt();
  await editor.cancel();
  expect(await turn).toBe('cancelled');
  const { payload } = await person.event('interaction_closed');
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'The turn was stopped in the editor.' });
});

test('[ACP2] people answer a form that the editor cannot show', { timeout }, async () => {
  const editor = await Editor.open(server, { showsForms: false });
  const turn = editor.prompt('form');
  const person = await openPrompt(server, tab);
  const prompt = await person.prompt();
  expect(prompt.toolName).toBe('acp_question');
  await person.answer(prompt, { action: 'cancel' });
  expect(await turn).toBe('end_turn');
  expect(editor.notes.at(-1)).toContain('decline');
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  '[ACP2] ended by %s while it asks, the server asks again when it is back',
  {
    timeout,
  },
  async (signal) => {
    const editor = await Editor.open(server);
    const turn = editor.prompt('ask:touch_d');
    await (await openPrompt(server, tab)).prompt();
    await server.kill(signal);
    await server.restart();
    const again = await openPrompt(server, await server.tab());
    await again.answer(await again.prompt(), { action: 'deny' });
    expect(await turn).toBe('end_turn');
    expect(editor.notes).toEqual(['permission no']);
  },
);

test('[ACP2] options that people cannot be offered are left to the editor', { timeout }, async () => {
  const editor = await Editor.open(server);
  const turn = editor.prompt('strange');
  await expect.poll(() => editor.dialogs.length, { timeout }).toBe(1);
  editor.dialogs[0]?.answer({ outcome: { outcome: 'selected', optionId: 'x' } });
  expect(await turn).toBe('end_turn');
  expect(editor.notes).toEqual(['permission x']);
});

test.each([
  ['no server', ['--port', '1']],
  ['a token that is wrong', undefined],
])(
  '[ACP2] with %s the editor works as if the proxy were not there, and stderr says why once',
  { timeout },
  async (_, flags) => {
    const own = flags ?? ['--port', new URL(server.url).port, '--data-dir', server.dataDir, '--token', 'wrong'];
    const editor = await Editor.open(server, { flags: own });
    const turn = editor.prompt('ask:touch_e');
    await expect.poll(() => editor.dialogs.length, { timeout }).toBe(1);
    editor.dialogs[0]?.answer(yes);
    expect(await turn).toBe('end_turn');
    expect(editor.notes).toEqual(['permission once']);
    expect(editor.stderr.match(/Questions are asked in the editor alone/g)).toHaveLength(1);
    expect(await editor.close()).toBe(0);
  },
);

test('[ACP2, SEC8] the agent gets no key of the server, ends with the editor, and its exit code is the proxy’s', {
  timeout,
}, async () => {
  const editor = await Editor.open(server, {
    env: { PARLEY_TOKEN: 'secret-secret-secret', PARLEY_ASK_TOKEN: 'secret-secret-secret' },
  });
  await editor.prompt('env:PARLEY_TOKEN\nenv:PARLEY_ASK_TOKEN');
  expect(editor.texts.join('')).not.toContain('secret');
  const exited = new Promise((resolve) => editor.child.once('exit', resolve));
  await editor.prompt('die').catch(() => undefined);
  expect({ code: await exited, stderr: editor.stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining('node ended with 3.'),
  });
});

/** Runs an agent of one line behind the proxy; its standard error is shared with it. */
function runAgent(script: string, port = '1') {
  const args = [server.command, 'acp', '--port', port, '--', process.execPath, '-e', script];
  const child = spawn(process.execPath, args, { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('[ACP2] a signal ends an agent that ignores the end of its input, also while the server does not answer', {
  timeout,
}, async () => {
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const proxy = runAgent('console.error(process.pid); setInterval(() => {}, 1000)', String(port));
  const pid = await readPid(proxy.stderr);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  proxy.kill('SIGTERM');
  await once(proxy, 'exit');
  expect(isAlive(pid)).toBe(false);
});

test('[ACP2] an agent that ignores the end of its input does not outlive a proxy that was killed', {
  timeout,
}, async () => {
  const proxy = runAgent(`process.on('SIGTERM', () => {}); console.error(process.pid); setInterval(() => {}, 1000)`);
  const pid = await readPid(proxy.stderr);
  proxy.kill('SIGKILL');
  await expect.poll(() => isAlive(pid), { timeout }).toBe(false);
});

test('[ACP2] a program that does not exist ends the proxy as it ends a shell', { timeout }, async () => {
  const proxy = spawn(process.execPath, [server.command, 'acp', '--port', '1', '--', 'no-such-agent']);
  const [[code], stderr] = await Promise.all([once(proxy, 'exit'), text(proxy.stderr)]);
  expect({ code, stderr }).toEqual({ code: 127, stderr: expect.stringContaining('no-such-agent') });
});

test('[ACP2] the proxy ends with the agent, whatever the agent left running', { timeout }, async () => {
  const start = `require('child_process').spawn('sleep', ['300'], { stdio: 'inherit' })`;
  const proxy = runAgent(`console.error((${start}).pid); process.exit(7)`);
  const exited = once(proxy, 'exit');
  const pid = await readPid(proxy.stderr);
  const [code] = await exited;
  expect(code).toBe(7);
  await expect.poll(() => isAlive(pid), { timeout }).toBe(false);
});

test('[ACP2] an agent that a signal ended is reported as shells do', { timeout }, async () => {
  const [code] = await once(runAgent(`process.kill(process.pid, 'SIGKILL')`), 'exit');
  expect(code).toBe(128 + 9);
});

/** Reads the number that an agent writes between what the proxy reports. */
async function readPid(input: Readable): Promise<number> {
  for await (const text of createInterface({ input })) if (/^\d+$/.test(text)) return Number(text);
  throw new Error('The agent wrote no number.');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
