import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createToken, runParley } from '../../server/test/support/command.ts';
import { failToStart } from '../../server/test/support/fail-to-start.ts';
import { startServer } from '../../server/test/support/use-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-sink-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const waiting = { timeout: 20_000, interval: 20 };

/** The rows of `parley audit`, in commit order within each chain. */
async function auditOf(dataDir: string): Promise<string[]> {
  const { stdout } = await runParley('audit', '--json', '--data-dir', dataDir);
  return stdout.trimEnd().split('\n').sort();
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').sort();

test('[SEC7] each row of the audit is appended to a file as it is committed, and at most once more after a restart', async () => {
  const file = join(folder, 'sink.jsonl');
  const server = await startServer({ args: ['--no-auth', '--audit-sink', file] });
  for (const name of ['Ann', 'Bob']) await createToken(server.dataDir, '--role', 'viewer', '--name', name);
  await vi.waitFor(() => expect(linesOf(file)).toHaveLength(2), waiting);
  expect(linesOf(file)).toEqual(await auditOf(server.dataDir));
  expect(statSync(file).mode & 0o777).toBe(0o600);

  renameSync(file, `${file}.1`); // like log rotation
  await createToken(server.dataDir, '--role', 'viewer', '--name', 'Eve');
  await vi.waitFor(() => expect(linesOf(file)).toHaveLength(1), waiting);
  await server.kill();
  await createToken(server.dataDir, '--role', 'viewer', '--name', 'Dan'); // no server sends it yet
  await server.restart();
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('Dan'), waiting);
  const all = new Set([...linesOf(file), ...linesOf(`${file}.1`)]);
  expect([...all].sort()).toEqual(await auditOf(server.dataDir));
});

test('[SEC7] rows are sent again until a failing address accepts them', async () => {
  const bodies: string[] = [];
  let refusals = 2;
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      if (refusals > 0) refusals -= 1;
      else bodies.push(body);
      response.writeHead(refusals > 0 || bodies.length === 0 ? 503 : 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/audit`;
  const server = await startServer({ args: ['--no-auth', '--audit-sink', to] });
  await createToken(server.dataDir, '--role', 'viewer', '--name', 'Ann');
  await vi.waitFor(() => expect(bodies).not.toEqual([]), waiting);
  expect(bodies.join('').trimEnd().split('\n')).toEqual(await auditOf(server.dataDir));
  await server.says('could not reach the audit sink');
  receiver.close();
});

test('[SEC7, SEC8] a sink that is a link, or in the data directory, makes the start fail', async () => {
  const link = join(folder, 'link');
  symlinkSync(join(folder, 'elsewhere'), link);
  const dataDir = join(folder, 'data');
  for (const file of [link, join(dataDir, 'parley.db'), join(folder, 'no/such/folder')]) {
    const { code, stderr } = await failToStart({ dataDir, args: ['--no-auth', '--audit-sink', file] });
    expect([file, code, stderr]).toEqual([file, 2, expect.stringContaining('--audit-sink')]);
  }
});
