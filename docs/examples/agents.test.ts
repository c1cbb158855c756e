import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startParley } from '@parleyhq/client/process';
import { submit } from '@parleyhq/core/testing';
import { testAgent } from '@parleyhq/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import local from './local.ts';
import { fileOf, pathOf, startInTest, Talk } from './test/talk.ts';

type Sent = { model: string; messages: { role: string; content?: string }[] };

let model: Server;
let url: string;
const requests: Sent[] = [];
beforeAll(async () => {
  model = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent: Sent = JSON.parse(Buffer.concat(chunks).toString());
    requests.push(sent);
    const { role, content = '' } = sent.messages.at(-1) ?? { role: '' };
    if (content === 'fail') return response.writeHead(503).end('The model is asleep.');
    const send = (delta: object) => response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
    if (role === 'user' && content.startsWith('call ')) for (const delta of callsOf(content)) send(delta);
    else for (const word of ['It ', 'says ', content]) send({ content: word });
    if (content !== 'ramble') response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  await local.setup?.({ config: { url } } as never);
});
afterAll(() => {
  model.closeAllConnections();
  model.close();
});

/** "call echo {} ask_user {…}": the arguments arrive in two parts, as models send them. */
function callsOf(content: string): object[] {
  return [...content.matchAll(/(\w+) (\{.*?\})/g)].flatMap(([, name, json = ''], index) => [
    { tool_calls: [{ index, function: { name, arguments: json.slice(0, 3) } }] },
    { tool_calls: [{ index, function: { arguments: json.slice(3) } }] },
  ]);
}

testAgent('local', () => local.agents![0]!, { talk: 'hello', call: 'call echo {"n": 1}', ramble: 'ramble' });

const noKey = { ANTHROPIC_API_KEY: '' };

test('[AGT2, OPS2] claude.config.json chooses the agent, and needs a key', async () => {
  const args = ['--config', pathOf('claude.config.json')];
  await expect(startParley({ args, env: noKey })).rejects.toThrow('set ANTHROPIC_API_KEY');
  const parley = await startInTest({ args, env: { ANTHROPIC_API_KEY: 'sk-test' } });
  const { client } = await parley.tab();
  expect(client.state.welcome?.agents.map(({ name }) => name)).toEqual(['anthropic']);
});

test('[AGT3, OPS2] claude-code.config.json chooses the agent, and needs a key', async () => {
  const args = ['--config', pathOf('claude-code.config.json')];
  await expect(startParley({ args, env: noKey })).rejects.toThrow(
    /"claude-agent" needs an API key: set ANTHROPIC_API_KEY/,
  );
});

test('[ACP1, OPS2] acp.config.json brings its agents by name', async () => {
  const parley = await startInTest({ args: ['--config', pathOf('acp.config.json')] });
  const { client } = await parley.tab();
  expect(client.state.welcome?.agents.map(({ name }) => name)).toEqual(['gemini', 'goose', 'opencode']);
});

test('[ACP2, OPS2] zed.json puts parley before an agent', async () => {
  const parley = await startInTest();
  const { agent_servers: servers } = JSON.parse(readFileSync(pathOf('zed.json'), 'utf8'));
  const { command, args } = servers['Claude with Parley'] as { command: string; args: readonly string[] };
  expect(command).toBe('parley');
  const agent = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'];
  const place = ['--port', new URL(parley.url).port, '--data-dir', parley.dataDir];
  const words = args.flatMap((word) =>
    word === '--' ? [...place, '--', ...agent] : word === args.at(-1) ? [] : [word],
  );
  const child = spawn(process.execPath, [parley.command, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end('{"hello":1}\n');
  expect(await text(child.stdout)).toBe('{"hello":1}\n');
});

test('[ACP3, OPS2] zed-agent.json makes Parley an agent', async () => {
  const parley = await startInTest();
  const { agent_servers: servers } = JSON.parse(readFileSync(pathOf('zed-agent.json'), 'utf8'));
  const { command, args } = servers.Parley as { command: string; args: readonly string[] };
  expect(command).toBe('parley');
  const place = ['--port', new URL(parley.url).port, '--data-dir', parley.dataDir];
  const child = spawn(process.execPath, [parley.command, ...args, ...place], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n');
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  expect(JSON.parse(first.toString())).toMatchObject({ id: 0, result: { agentInfo: { name: 'parley' } } });
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('[ACP1, OPS2] a server with invalid settings of acp does not start, and says which', async () => {
  const config = fileOf(JSON.stringify({ pluginConfigs: { acp: { agents: { x: {} } } } }), 'parley.json');
  await expect(startParley({ args: ['--config', config] })).rejects.toThrow(/"acp" are invalid: .*command/s);
});

test('[AGT2, DUR7] local: parallel calls, a question to a person and a kill in between, and the model receives all results', async () => {
  const config = fileOf(JSON.stringify({ pluginConfigs: { local: { url } } }), 'parley.json');
  const args = ['--agent', 'local', '--model', 'small', '--config', config];
  const server = await startInTest({ plugins: [pathOf('local.ts')], args });
  const said = 'call ask_user {"question": "Why?"} remember {}';
  const talk = await Talk.begin(server, said);
  const prompt = await talk.prompt();
  await server.restart();
  const back = await talk.goOn(server);
  await back.answer(submit({ answer: 'because' }), prompt);
  await back.tab.event('turn_end');
  expect(requests.at(-1)).toMatchObject({
    model: 'small',
    messages: [
      { role: 'user', content: said },
      { role: 'assistant', tool_calls: [{ function: { name: 'ask_user' } }, { function: { name: 'remember' } }] },
      { role: 'tool', content: expect.stringContaining('unknown_tool') },
      { role: 'tool', content: '{"ok":true,"answer":"because"}' },
    ],
  });

  await back.say('fail');
  const failed = await back.tab.event('turn_end', ({ payload }) => payload.status === 'error');
  expect(failed.payload.error).toEqual({ code: 'model_failed', message: 'The model is asleep.' });
});
