import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openTab } from '@parleyhq/client/process';
import { FakeMessagesApi, say } from '@parleyhq/plugin-anthropic/testing';
import { TestServer, useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeAcpPlugin } from '../src/index.ts';
import { known } from '../src/known-agents.ts';
import { makeFolder } from './acp-stage.ts';

const programOf = (variable: string, path: string) => join(process.env[variable] ?? '', 'node_modules', path);
const model = 'claude-sonnet-4-5';

/** OpenCode, with the permissions that Parley's registry gives it, and without access to anything but the fake model. */
function openCode(url: string, home: string) {
  const provider = { options: { baseURL: `${url}/v1`, apiKey: 'none' }, models: { [model]: {} } };
  const { permission } = JSON.parse(known.opencode.env.OPENCODE_CONFIG_CONTENT);
  const models = { model: `anthropic/${model}`, small_model: `anthropic/${model}`, provider: { anthropic: provider } };
  const env = {
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission, share: 'disabled', ...models }),
  };
  return { ...known.opencode, command: programOf('PARLEY_OPENCODE', '.bin/opencode'), env };
}

/** Qwen Code, which needs a newer Node than Parley. */
function qwenCode(url: string, home: string) {
  const script = programOf('PARLEY_QWEN', '@qwen-code/qwen-code/cli.js');
  return {
    ...known.qwen,
    command: programOf('PARLEY_MCP_CONFORMANCE_NODE', 'node/bin/node'),
    args: [script, ...known.qwen.args, '--auth-type', 'anthropic', '--model', model],
    env: { HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', ANTHROPIC_MODEL: model },
  };
}

/** A fake model that runs the command in the last message, if it is one, and then is done. */
async function startModel(tool: string): Promise<FakeMessagesApi> {
  const api = await FakeMessagesApi.start({ isLenient: true });
  onTestFinished(() => api.close());
  let calls = 0;
  api.otherwise(({ messages, tools = [] }) => {
    const last = JSON.stringify(messages.at(-1)?.content.at(-1)); // a result of a call that was denied may precede it
    const command = /touch \w+\.txt(?!.*touch)/.exec(last)?.[0];
    if (tools.length === 0 || command === undefined || last.includes('tool_result')) return { content: [say('Done.')] };
    calls += 1;
    const input = { command, description: 'Touch', is_background: false };
    return { content: [{ type: 'tool_use', id: `toolu_${calls}`, name: tool, input }] };
  });
  return api;
}

test.each([
  ['opencode', openCode, 'bash'],
  ['qwen', qwenCode, 'run_shell_command'],
] as const)(
  '[ACP1] the real %s asks people, obeys them, is stopped, and continues its session in a new process',
  async (name, entry, tool) => {
    const api = await startModel(tool);
    const work = makeFolder();
    const agent = { ...entry(api.url, makeFolder()), cwd: work };
    const plugin = makeAcpPlugin({ agents: { [name]: agent }, liveMs: 0 });
    const server = await useInTest(new TestServer({ defaultAgent: name, plugins: [plugin] }));
    const tab = await openTab(server, { patienceMs: 120_000 }); // it may start while a browser is tested
    onTestFinished(() => tab.close());
    const end = async (after: number) => (await tab.event('turn_end', undefined, after)).payload;

    const first = await tab.say('touch allowed.txt');
    const asked = await tab.prompt();
    expect(asked).toMatchObject({ toolName: 'execute', subject: { kind: 'command', text: 'touch allowed.txt' } });
    expect(existsSync(join(work, 'allowed.txt'))).toBe(false);
    await tab.answer(asked, { action: 'approve' });
    expect(await end(first)).toMatchObject({ status: 'completed' });
    expect(existsSync(join(work, 'allowed.txt'))).toBe(true);

    const second = await tab.say('touch denied.txt');
    await tab.answer(await tab.prompt(), { action: 'deny' });
    expect(await end(second)).toMatchObject({ status: 'completed' });

    const third = await tab.say('touch stopped.txt');
    const { interactionId } = await tab.prompt();
    await tab.session.cancelTurn();
    expect(await end(third)).toMatchObject({ status: 'cancelled' });
    const closed = await tab.event('interaction_closed', ({ payload }) => payload.interactionId === interactionId);
    expect(closed.payload.reason).toBe('cancelled');

    const fourth = await tab.say('Thank you');
    expect(await end(fourth)).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('touch allowed.txt'); // the same conversation
    for (const file of ['denied.txt', 'stopped.txt']) expect(existsSync(join(work, file))).toBe(false);
  },
);
