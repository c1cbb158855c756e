// A server that kills itself at the given moment; its one argument is a VictimOptions as JSON.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ParleyServer } from '@parleyhq/server';
import { lockDirectory } from '../../src/adapters/store/sqlite/lock.ts';
import { openDatabase } from '../../src/adapters/store/sqlite/open.ts';
import { serveDatabase } from '../../src/adapters/store/sqlite.ts';
import { EffectLog } from './effects.ts';
import type { Kill } from './kill.ts';
import { Killer } from './killer.ts';
import type { StartKind } from './start-kind.ts';
import { makeTools } from './tools.ts';

export interface VictimOptions {
  readonly dataDir: string;
  readonly start: StartKind;
  /** Armed before recovery begins; later ones come as lines on stdin. */
  readonly kill?: Kill | undefined;
  /** Token of the owner; undefined if no token is required. */
  readonly token?: string | undefined;
}

async function main({ dataDir, start, kill, token }: VictimOptions): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const killer = new Killer();
  killer.arm(kill);
  const unlock = lockDirectory(dataDir);
  const db = openDatabase(join(dataDir, 'parley.db'));
  const plugin = makeTools({
    effects: new EffectLog(join(dataDir, 'effects.jsonl')),
    pass: (place) => killer.pass(place),
    hibernates: start === 'asleep' || start === 'quiet',
  });
  const opened = serveDatabase(db, unlock);
  if (start === 'careful') await opened.pluginState.set('$parley', undefined, 'unsteady starts', 2);
  const server = new ParleyServer({
    store: killer.wrap(opened, db),
    plugins: [plugin],
    dataDir,
    ...(token !== undefined && { token }),
    durations: {
      restartGraceMs: 250,
      lateHookMs: 2000,
      ...(start !== 'careful' && { steadyMs: 0 }),
      ...(start === 'quiet' && { hibernateAfterMs: 10 }),
    },
  });
  // Each line arms the killer; the reply lists what keeps this process alive, which no scenario may add to.
  createInterface({ input: process.stdin }).on('line', (line) => {
    killer.arm(JSON.parse(line) as Kill);
    process.stdout.write(`${JSON.stringify(process.getActiveResourcesInfo().toSorted())}\n`);
  });
  const port = await server.listen({ port: 0, host: '127.0.0.1' });
  process.stdout.write(`${JSON.stringify({ ready: true, port, pid: process.pid })}\n`);
}

const [, , options] = process.argv;
if (options !== undefined) void main(JSON.parse(options) as VictimOptions);
