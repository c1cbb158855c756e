import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeSession, readSeqs } from '@parleyhq/store-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/adapters/store/sqlite/open.ts';
import { openSqliteStore } from '../../src/adapters/store/sqlite.ts';

vi.setConfig({ testTimeout: 60_000 }); // one process for each kill

const kills = 8;

let folder: string;
let path: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-checkpoint-'));
  path = join(folder, 'parley.db');
});

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Starts a real process that appends endlessly, and reports what is stored and when a checkpoint begins and ends. */
function start(body: string): ChildProcess {
  const [store, open] = ['../../src/adapters/store/sqlite.ts', '../../src/adapters/store/sqlite/open.ts'].map((file) =>
    JSON.stringify(new URL(file, import.meta.url).href),
  );
  const script = `
    import { writeSync } from 'node:fs';
    import { serveDatabase } from ${store};
    import { openDatabase } from ${open};
    const db = openDatabase(${JSON.stringify(path)});
    const store = serveDatabase(db);
    const say = (line) => writeSync(1, line + '\\n');
    const { session } = await store.sessions.get('s1');
    let { seq } = session;
    const filler = 'x'.repeat(4000);
    const append = async () => {
      seq += 1;
      const events = [{ seq, key: undefined, text: JSON.stringify({ seq, filler }) }];
      await store.events.append({ sessionId: 's1', expectedSeq: seq - 1, events, session: { ...session, seq } });
      say(seq);
    };
    ${body}
  `;
  const flags = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', script];
  return spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Reads a process's output, kills it once `isTime`, and reads the rest. */
async function killWhen(isTime: (line: string) => boolean): Promise<string[]> {
  const running = child as ChildProcess;
  const said: string[] = [];
  let isKilled = false;
  for await (const line of createInterface({ input: running.stdout! })) {
    said.push(line);
    if (isKilled || !isTime(line)) continue;
    isKilled = running.kill('SIGKILL');
  }
  if (running.signalCode === null) await once(running, 'exit');
  expect(running.signalCode).toBe('SIGKILL');
  return said;
}

test.each([
  [
    'in the middle of a checkpoint',
    `
      db.pragma('wal_autocheckpoint = 0');
      for (;;) {
        for (let n = 0; n < 60; n += 1) await append();
        say('begin');
        db.pragma('wal_checkpoint(TRUNCATE)');
        say('end');
      }`,
    (line: string) => line === 'begin',
  ],
  [
    'where each commit has a checkpoint of its own',
    `
      db.pragma('wal_autocheckpoint = 1');
      for (;;) await append();`,
    (line: string) => Number(line) % 37 === 0,
  ],
])(
  '[DUR1, DUR8] kill -9 %s: the database opens, is intact, and has everything that was acknowledged',
  async (where, body, isTime) => {
    const first = openSqliteStore(path);
    await first.sessions.create(makeSession('s1'));
    await first.close();
    let cutOff = 0;
    for (let n = 0; n < kills; n += 1) {
      child = start(body);
      const said = await killWhen(isTime);
      if (said.at(-1) === 'begin') cutOff += 1;
      const acknowledged = Math.max(...said.map(Number).filter((seq) => seq > 0));

      const store = openSqliteStore(path);
      expect(store).toMatchObject({ epoch: first.epoch, isRewound: false });
      const seqs = await readSeqs(store, 's1');
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
      expect((await store.sessions.get('s1'))?.session.seq).toBe(seqs.length);
      await store.close();
      const db = openDatabase(path);
      expect(db.pragma('quick_check', { simple: true })).toBe('ok');
      db.close();
    }
    if (where.includes('middle')) expect(cutOff).toBeGreaterThan(0);
  },
);
