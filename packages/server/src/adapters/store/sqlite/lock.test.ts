import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { makeSession, readSeqs } from '@parleyhq/store-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../sqlite.ts';

let folder: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  path = join(folder, 'parley.db');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A real process that opens the store, runs `body` and stays. `lines` is what it prints. */
function start(body: string): { child: ChildProcess; lines: AsyncIterator<string> } {
  const store = new URL('../sqlite.ts', import.meta.url).href;
  const script = `
    import { openSqliteStore } from ${JSON.stringify(store)};
    const store = openSqliteStore(${JSON.stringify(path)});
    ${body}
    setInterval(() => store, 1000); // an unreferenced store would be garbage-collected, and its lock with it
  `;
  const flags = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test("[DUR9] a second process is refused with the owner's pid; a killed owner leaves no lock", async () => {
  const { child, lines } = start("console.log('open');");
  expect((await lines.next()).value).toBe('open');
  expect(() => openSqliteStore(path)).toThrow(`Another Parley (pid ${child.pid}) uses ${folder}.`);
  await kill(child);
  expect(existsSync(join(folder, 'parley.lock'))).toBe(true);
  await openSqliteStore(path).close();
  expect(existsSync(join(folder, 'parley.lock'))).toBe(false);
}, 20_000);

test('[DUR9] a pid without the lock owns nothing, even if it is alive; the lock holds against everyone', async () => {
  writeFileSync(join(folder, 'parley.lock'), `${process.ppid}\n`);
  const store = openSqliteStore(path);
  for (let n = 0; n < 2; n += 1) expect(() => openSqliteStore(path)).toThrow(`(pid ${process.pid})`);
  const { child } = start('');
  const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(said).toContain(`Another Parley (pid ${process.pid}) uses ${folder}.`);
  expect(code).toBe(1);
  await store.close();
}, 20_000);

test('[DUR1] what was acknowledged before kill -9 survives it', async () => {
  const { child, lines } = start(`
    const session = ${JSON.stringify(makeSession('s1'))};
    await store.sessions.create(session);
    for (let seq = 1; ; seq += 1) {
      const events = [{ seq, key: undefined, text: JSON.stringify({ seq }) }];
      await store.events.append({ sessionId: 's1', expectedSeq: seq - 1, events, session: { ...session, seq } });
      process.stdout.write(seq + '\\n');
    }
  `);
  let acknowledged = 0;
  while (acknowledged < 500) acknowledged = Number((await lines.next()).value);
  await kill(child);
  for (let line = await lines.next(); !line.done; line = await lines.next()) acknowledged = Number(line.value);
  const store = openSqliteStore(path);
  const seqs = await readSeqs(store, 's1');
  expect(seqs).toEqual(seqs.map((_, n) => n + 1));
  expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
  expect((await store.sessions.get('s1'))?.session.seq).toBe(seqs.length);
  await store.close();
}, 20_000);

test.each([
  ['an empty folder is', undefined, 0o700],
  ['a folder with other files in it is not', 'notes.txt', 0o755],
])('[SEC8, DUR9] %s closed to others', async (_, other, mode) => {
  chmodSync(folder, 0o755);
  if (other !== undefined) writeFileSync(join(folder, other), '');
  await openSqliteStore(path).close();
  expect(statSync(folder).mode & 0o777).toBe(mode);
});
