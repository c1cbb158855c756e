import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerFrameOf } from '@parleyhq/core';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readAnswer } from '../../server/test/support/mcp-client.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const server = useServer();
const inspector = join(process.env.PARLEY_MCP_INSPECTOR as string, 'node_modules/.bin/mcp-inspector');

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
});

/** Runs the inspector and returns its output; it fails if it finds an error. */
function inspect(...args: string[]): Promise<{ result: Record<string, unknown> }> {
  const env = { PATH: process.env.PATH, HOME: home };
  return new Promise((resolve, reject) =>
    execFile(inspector, ['--cli', ...args, '--format', 'json'], { env }, (error, stdout, stderr) =>
      error ? reject(new Error(stdout + stderr)) : resolve(JSON.parse(stdout)),
    ),
  );
}

const targets = {
  '/mcp': () => [`${server.httpUrl}/mcp`],
  '`parley mcp`': () => [process.execPath, mainPath, 'mcp', '--port', String(server.ready.port)],
};
const cases = Object.entries(targets).flatMap(([name, target]) =>
  ['legacy', 'modern'].map((era) => [name, era, target] as const),
);

describe.each(cases)("MCP's own inspector at %s, era %s", (_, era, target) => {
  test('[ASK6] accepts the tools, and gets a person\u2019s answer', async () => {
    const tab = await server.open();
    const { result } = await inspect(...target(), '--protocol-era', era, '--method', 'tools/list', '--strict');
    expect((result.tools as object[]).length).toBeGreaterThan(4);
    const call = ['--method', 'tools/call', '--tool-name', 'ask_human', '--tool-arg', 'question=Which colour?'];
    const asking = inspect(...target(), '--protocol-era', era, ...call);
    const frame = await tab.until(({ type }) => type === 'interaction_opened');
    const { sessionId, interaction } = frame as ServerFrameOf<'interaction_opened'>;
    await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'blue' } });
    expect(readAnswer((await asking).result).value).toMatchObject({ ok: true, answer: 'blue' });
  });
});
