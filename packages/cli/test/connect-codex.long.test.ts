import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerFrameOf } from '@parleyhq/core';
import { parse } from 'smol-toml';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { decision } from '../../server/test/support/claude-hooks.ts';
import { ParleyProcess, runParley } from '../../server/test/support/command.ts';
import { connectMcp, readAnswer } from '../../server/test/support/mcp-client.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const server = useServer({ args: [] });

let file: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  file = join(folder, 'config.toml');
});

const parley = (...words: string[]) => runParley(...words, '--settings', file, '--data-dir', server.dataDir);
const connect = (...words: string[]) => parley('connect', 'codex', '--url', server.httpUrl, ...words);
const disconnect = () => parley('disconnect', 'codex', '--yes');
const readText = () => readFile(file, 'utf8');

/** A placeholder that Codex replaces by a value. */
const slot = (name: string) => `\${${name}}`;

interface Written {
  readonly mcp_servers: { readonly parley: { readonly url: string; readonly http_headers: { Authorization: string } } };
  readonly hooks: { readonly PermissionRequest: { readonly hooks: { tool: string }[] }[] };
}
const readConfig = async () => parse(await readText()) as unknown as Written;

test('[ASK7] connect lets Codex ask, until disconnect removes exactly what it wrote', async () => {
  const text = '# mine\nmodel = "gpt-5"  # the best\n\n[features]\nhooks = true\n';
  await writeFile(file, text);
  const connected = await connect('--yes');
  expect(connected).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('/hooks') });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { mcp_servers: servers, hooks } = await readConfig();
  expect(hooks.PermissionRequest[0]?.hooks[0]).toEqual({
    type: 'mcp_tool',
    server: 'parley',
    tool: 'permission',
    timeout: 86_400,
    statusMessage: 'Waiting for an answer in Parley',
    input: { tool_name: slot('tool_name'), tool_input: slot('tool_input') },
  });
  const { url, http_headers: headers } = servers.parley;
  expect(url).toBe(`${server.httpUrl}/mcp`);
  const token = headers.Authorization.replace('Bearer ', '');
  expect(connected.stdout).not.toContain(token.slice(-20));

  const tab = await server.open({ hello: { token: server.ready.token } });
  const client = await connectMcp(server.httpUrl, { token, name: 'Codex' });
  const hook = { tool_name: 'Bash', tool_input: { command: 'npm test' } };
  const asking = client.callTool({ name: 'permission', arguments: hook });
  const opened = (await tab.waitFor('interaction_opened')) as ServerFrameOf<'interaction_opened'>;
  await tab.answer(opened.sessionId, opened.interaction, { action: 'approve' });
  const { value, isError } = readAnswer(await asking);
  expect({ value, isError }).toEqual({ value: decision({ behavior: 'allow' }), isError: false });

  expect(await connect('--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('already') });
  expect(await disconnect()).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nRevoked \w{12}\.\n$/) });
  expect(await readText()).toBe(text);
  await expect(connectMcp(server.httpUrl, { token })).rejects.toThrow();
  expect(await disconnect()).toMatchObject({ code: 0, stdout: expect.stringContaining('not connected') });
});

test('[ASK7] disconnect deletes a file that connect created, unless it has a comment', async () => {
  await connect('--yes');
  expect(await disconnect()).toMatchObject({ code: 0, stdout: expect.stringContaining('it was deleted, too') });
  await expect(readText()).rejects.toThrow('ENOENT');
  await writeFile(file, '# mine\n');
  await connect('--yes');
  expect(await disconnect()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('gone') });
  expect(await readText()).toBe('# mine\n');
});

test('[ASK7] nothing is written without consent, nor by --print', async () => {
  const { code, stderr } = await connect();
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/\[mcp_servers.parley\][\s\S]*--yes/) });
  const printed = parse((await connect('--print')).stdout);
  expect(printed).toMatchObject({ mcp_servers: { parley: { bearer_token_env_var: 'PARLEY_ASK_TOKEN' } } });
  await expect(readText()).rejects.toThrow('ENOENT');
});

test('[ASK7] disconnect leaves an MCP server of the same name that is a person’s own, and says that nothing is Parley’s', async () => {
  const own = '[mcp_servers.parley]\ncommand = "parley"\nargs = ["mcp"]\n';
  await writeFile(file, own);
  expect(await disconnect()).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing of Parley') });
  expect(await readText()).toBe(own);
});

test('[ASK7] a file to which nothing can be added is left unchanged', async () => {
  const text = 'hooks = { Stop = [] }\n';
  await writeFile(file, text);
  expect(await connect('--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('left as it is') });
  expect(await readText()).toBe(text);
});

test('[ASK7] a hook is trusted only by the hash that Codex gives it', async () => {
  const words = ['connect', 'codex', '--yes', '--trust', '--url', server.httpUrl];
  const env = { PATH: '/nowhere' };
  const trusting = new ParleyProcess([...words, '--settings', file, '--data-dir', server.dataDir], { env });
  expect(await trusting.end()).toMatchObject({ code: 1, stderr: expect.stringMatching(/codex app-server.*\/hooks/) });
  expect(await readText()).not.toContain('trusted_hash');
});
