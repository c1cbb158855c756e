// A server that can be told when to die. `node --conditions=source --import tsx victim.ts '{"dataDir":"…"}'`
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ParleyServer } from '@parleyhq/server';
import { lockDirectory } from '../../src/store/sqlite/lock.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { serveDatabase } from '../../src/store/sqlite.ts';
import { World } from './effects.ts';
import type { Kill } from './kill.ts';
import { Killer } from './killer.ts';
import { makeStory } from './story.ts';

export interface VictimOptions {
  readonly dataDir: string;
  /** Armed before anything is taken up; later ones come as lines on stdin. */
  readonly kill?: Kill | undefined;
}

const { dataDir, kill } = JSON.parse(process.argv[2] ?? '{}') as VictimOptions;
mkdirSync(dataDir, { recursive: true });
const killer = new Killer();
killer.arm(kill);
const unlock = lockDirectory(dataDir);
const db = openDatabase(join(dataDir, 'parley.db'));
const story = makeStory({
  world: new World(join(dataDir, 'effects.jsonl')),
  pass: (place) => killer.pass(place),
});
const server = new ParleyServer({
  store: killer.wrap(serveDatabase(db, unlock), db),
  plugins: [story],
  dataDir,
  durations: { restartGraceMs: 250, lateHookMs: 2000 },
});
// Each line is answered with what keeps this process up: after a story that must be what it was before.
createInterface({ input: process.stdin }).on('line', (line) => {
  killer.arm(JSON.parse(line) as Kill);
  process.stdout.write(`${JSON.stringify(process.getActiveResourcesInfo().toSorted())}\n`);
});
server.listen({ port: 0, host: '127.0.0.1' }).then((port) => {
  process.stdout.write(`${JSON.stringify({ ready: true, port, pid: process.pid })}\n`);
});
