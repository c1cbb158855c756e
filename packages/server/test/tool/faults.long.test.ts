import { expect, test, vi } from 'vitest';
import { failToStart } from '../support/fail-to-start.ts';
import { Journey } from '../support/journey.ts';
import { makeFolder, pluginOf } from '../support/plugin-file.ts';
import { rawRequest, upgradeLines } from '../support/raw-http.ts';
import { startServer } from '../support/use-server.ts';

test.each([
  ['a syntax error', 'plugin.mjs', "export default {\n  name: 'p',\n  tools: [,\n};\n", 4],
  ['a throw of the module', 'plugin.mjs', "const f = () => {\n  throw new Error('broken');\n};\nf();\n", 2],
  ['a syntax error in CommonJS', 'plugin.cjs', 'module.exports = {\n a b\n}', 2],
  ['a syntax error in TypeScript', 'plugin.ts', "export default {\n  name: 'p',\n  tools: [,,\n  };;}", 4],
])('[PLG4] %s is reported with its file and line', async (_, name, source, line) => {
  const file = pluginOf(source, name);
  const { code, stderr } = await failToStart({ plugins: [file] });
  expect(code).toBe(1);
  expect(stderr).toContain(`${file}:${line}`);
  expect(stderr).not.toMatch(/^\s+at /m);
});

const source = `
  const parameters = { type: 'object' };
  export default { name: 'faulty', tools: [
    { name: 'breaks', description: 'x', parameters, handler: (args) => args.no.such(args) },
    { name: 'throws', description: 'x', parameters, handler({ secret }) { throw new Error('bad: ' + secret + '\\n    at ' + secret + ':1:1'); } },
    { name: 'hooked', description: 'x', parameters, handler: (_, ctx) => ctx.requestInteraction({ type: 'approval',
      onResponse({ reason }) { throw new TypeError('bad: ' + reason); } }) },
    { name: 'means_it', description: 'x', parameters, handler(_, ctx) { throw ctx.error('full', 'No room.'); } },
    { name: 'asks', description: 'x', parameters, handler: (_, ctx) => ctx.confirm('sure', 'Sure?') },
  ] };`;

test('[PLG6, SEC8] an exception in a handler or hook is logged as a warning with its stack, and without user content', async () => {
  const file = pluginOf(source, 'faulty.mjs');
  const server = await startServer({ plugins: [file] });
  const journey = await Journey.begin(server);
  await journey.run('breaks', { secret: 'canary' });
  await journey.run('throws', { secret: 'canary' });
  await journey.run('means_it');
  const prompt = await journey.ask('hooked');
  await journey.answer(prompt, { action: 'deny', reason: 'canary' });
  await journey.outcome(prompt);
  const lines = await vi.waitUntil(() => {
    const found = server.stderr
      .join('')
      .split('\n')
      .filter((line) => line.includes('"tool call failed'));
    return found.length === 4 && found.map((line) => JSON.parse(line));
  });
  expect(lines).toMatchObject([
    { level: 40, tool: 'breaks', thrown: 'TypeError', stack: expect.stringContaining('faulty.mjs:4:') },
    { level: 40, tool: 'throws', thrown: 'Error', stack: expect.stringContaining('faulty.mjs:5:') },
    { level: 30, tool: 'means_it', code: 'full' },
    { level: 40, tool: 'hooked', thrown: 'TypeError', stack: expect.stringContaining('faulty.mjs:7:') },
  ]);
  expect(server.stderr.join('')).not.toContain('canary');
});

test('[DUR6] starting without the plugin of an open call logs a warning that names the tool', async () => {
  const server = await startServer({ plugins: [pluginOf(source)] });
  const journey = await Journey.begin(server);
  await journey.ask('asks');
  await server.restart({ plugins: [] });
  await server.says('an open call needs the tool \\"asks\\"');
});

test('[AGT6] a misspelt tool name gets a suggestion, and a missing argument is named', async () => {
  const server = await startServer({ plugins: [pluginOf(source)] });
  const journey = await Journey.begin(server);
  expect((await journey.run('ask_usre')).error).toEqual({
    code: 'unknown_tool',
    message: 'There is no tool "ask_usre". Did you mean "ask_user"?',
  });
  expect((await journey.run('ask_user', {})).error).toEqual({ code: 'invalid_args', message: 'question is missing' });
  const { error } = await journey.run('ask_user', { question: 7 });
  expect(error?.message).toMatch(/^question: .*string/);
});

test('[SEC3] a refused host or origin is named, with the setting that allows it', async () => {
  const server = await startServer();
  const { port } = server.ready;
  const get = ['GET /healthz HTTP/1.1', 'Connection: close'];
  const host = await rawRequest(port, [...get, 'Host: parley.example']);
  expect(host.text).toContain(String.raw`The host \"parley.example\"`);
  const origin = await rawRequest(port, [...get, `Host: 127.0.0.1:${port}`, 'Origin: https://parley.example']);
  expect(origin.text).toContain(String.raw`the origin \"https://parley.example\"`);
  const upgrade = await rawRequest(port, upgradeLines([`Host: 127.0.0.1:${port}`, 'Origin: null']));
  expect(upgrade.text).toContain('the origin "null"');
  for (const { status, text } of [host, origin, upgrade]) {
    expect(status).toBe(403);
    expect(text).toContain('allowedOrigins (PARLEY_ALLOWED_ORIGINS)');
    expect(text).not.toContain('role');
  }
});

test('[OPS2, DUR9] a second server on the same folder is pointed to --data-dir', async () => {
  const dataDir = makeFolder();
  await startServer({ dataDir });
  const { code, stderr } = await failToStart({ dataDir });
  expect([code, stderr]).toEqual([1, expect.stringContaining('--data-dir')]);
});
