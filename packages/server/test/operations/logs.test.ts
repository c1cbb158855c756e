import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { rawRequest, upgradeLines } from '../support/raw-http.ts';
import { startServer } from '../support/use-server.ts';

const canary = 'CANARY-7c1d-marmalade';
const token = `${canary}-as-a-token`;

const form = (type: string) => `{ type: 'form', fields: [{ id: 'word', type: '${type}', label: 'Word' }] }`;

/** A careless author's plugin, which logs what users and models say. */
const source = `
  const parameters = { type: 'object' };
  const ask = (ctx, type, hooks = {}, key) => ctx.requestInteraction({ key, type: 'input', timeoutMs: null,
    inputSchema: type === 'secret' ? ${form('secret')} : ${form('text')}, ...hooks });
  const tools = {
    throws({ word }) { throw new Error('bad: ' + word, { cause: new TypeError(word) }); },
    throws_code({ word }) { throw { code: word, message: word }; },
    slips({ word }) { void Promise.reject(new Error('slipped: ' + word)); return word; },
    steps: ({ word }, ctx) => ctx.step('note', () => ({ word })),
    streams({ word }, ctx) { ctx.progress(word); return { word }; },
    hook: (_, ctx) => ask(ctx, 'text', { onResponse({ input }) { throw new Error(JSON.stringify(input)); } }),
    cancels: (_, ctx) => ask(ctx, 'text', { onCancel() { throw new Error(ctx.toolName + '${canary}'); } }),
    later: (_, ctx) => ask(ctx, 'text', {
      onResponse: () => ({ pending: { message: 'Later.' } }),
      onLateResponse({ input }) { throw new Error(input.word); },
    }),
    async tells(_, ctx) {
      const { input } = await ask(ctx, 'secret');
      const details = { [input.word]: [input.word, { deep: input.word }], error: new Error(input.word) };
      details.self = details;
      for (const level of ['debug', 'info', 'warn', 'error']) ctx.log[level]('it is ' + input.word, details);
      throw Object.assign(new Error(input.word), { code: input.word });
    },
  };
  export default { name: 'careless', dispose() { throw new Error('${canary}'); },
    tools: Object.entries(tools).map(([name, handler]) => ({ name, description: name, parameters, handler })) };`;

test("[SEC8] the log has nothing that users, models or programs wrote, and plugins' lines have no secrets", async () => {
  const args = ['--token', token, '--log-level', 'debug'];
  const server = await startServer({ plugins: [pluginOf(source, 'careless.mjs')], args });
  const begin = () => Journey.begin(server, { hello: { token }, label: canary });
  const word = canary;

  for (const tool of ['throws', 'throws_code', 'slips', 'steps', 'streams', 'no_such_tool']) {
    await (await begin()).run(tool, { word });
  }
  const [hook, cancels, later, tells] = await Promise.all([begin(), begin(), begin(), begin()]);
  const { tab, session: sessionId } = hook;
  const prompt = await hook.ask('hook', { word });
  const { interactionId } = prompt;
  await tab.ask({ type: 'draft', sessionId, interactionId, values: { word } });
  await tab.ask({ type: 'update_session', sessionId, title: canary });
  await tab.say(sessionId, canary, canary);
  await hook.submit(prompt, { [canary]: word });
  await hook.answer(prompt, { action: 'submit', input: { word }, reason: canary, editedArgs: { word } });
  await hook.submit(prompt, { word });
  await hook.outcome(prompt);

  await cancels.ask('cancels', { word });
  await cancels.tab.ask({ type: 'cancel_turn', sessionId: cancels.session });

  await later.submit(await later.ask('later', { word }), { word });
  const pending = (await later.event('interaction_pending')).payload;
  const reopened = await later.event(
    'interaction_request',
    ({ payload }) => payload.interactionId === pending.interactionId,
  );
  await later.event('turn_end');
  await later.submit(reopened.payload, { word });
  await later.event('user_message', ({ payload }) => payload.origin === 'interaction');

  const secret = await tells.ask('tells');
  await tells.submit(secret, { word });
  expect((await tells.outcome(secret)).error).toEqual({ code: '[redacted]', message: '[redacted]' });

  const stranger = await server.open({ hello: null, headers: { Cookie: `parley=${canary}` } });
  stranger.sendText(`${canary}{"type":"hello"}`);
  stranger.send({ type: 'hello', protocol: 1, token: `${canary}-wrong`, clientId: canary });
  await stranger.closed();
  tab.send({ type: 'user_message', sessionId, [canary]: canary, text: { word } });
  await tab.waitFor('error');
  const upgrade = upgradeLines([`Host: ${canary}`, `Origin: http://${canary}`]);
  await rawRequest(server.ready.port, upgrade);
  const headers = { Authorization: `Bearer ${canary}` };
  await fetch(`${server.httpUrl}/metrics?token=${canary}`, { headers });
  await fetch(`${server.httpUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: token,
  });

  expect(await server.kill('SIGTERM')).toBe(0);
  const log = server.stderr.join('');
  const said = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  // Each of these was logged: otherwise there would be nothing to find.
  expect(said).toEqual(
    expect.arrayContaining([
      'tool call failed',
      'tool call failed: its handler broke',
      'unhandled rejection',
      'onCancel failed',
      'onLateResponse failed: the usual message is sent',
      'it is [redacted]',
      'dispose failed',
    ]),
  );
  expect(said.filter((message) => message === 'it is [redacted]')).toHaveLength(4);
  expect(log.split('\n').filter((line) => line.includes(canary))).toEqual([]);
});

test.runIf(existsSync('/dev/full'))('[DUR8] a server whose log has no room goes on', async () => {
  const within = ['/bin/sh', '-c', 'exec "$@" 2> /dev/full', 'sh'];
  const server = await startServer({ plugins: [pluginOf(source, 'careless.mjs')], within });
  const journey = await Journey.begin(server);
  for (let n = 0; n < 3; n += 1) await journey.run('throws', { word: `${n}` }); // each is logged
  expect(await server.kill('SIGTERM')).toBe(0);
});
