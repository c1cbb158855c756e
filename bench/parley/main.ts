import { join } from 'node:path';
import askUser from '@parleyhq/plugin-ask-user';
import claudeCode from '@parleyhq/plugin-claude-code';
import { ParleyServer } from '@parleyhq/server';
import { serveCalls } from '../process/child.ts';
import { cpu, sleep } from '../process/clock.ts';
import { LoopMeter } from '../process/loop-meter.ts';
import { readMemory } from '../process/memory.ts';
import { Turnstile } from '../process/turnstile.ts';
import { makeBenchPlugin } from './plugin.ts';
import { idleAgent, SessionWriter } from './session-writer.ts';
import { openStore } from './store.ts';

const [dataDir = '.', database] = process.argv.slice(2);
const reports: unknown[] = [];
let onReport = () => {};
const turnstile = new Turnstile();
const loop = new LoopMeter();
/** For the sessions that `fill` has made. */
const writers = new Map<string, SessionWriter>();
const plugin = makeBenchPlugin(turnstile, (report) => {
  reports.push(report);
  onReport();
});
const server = new ParleyServer({
  store: await openStore(join(dataDir, 'parley.db'), database),
  plugins: [plugin, askUser, claudeCode],
  agents: [idleAgent],
  dataDir,
  framesPerSecond: 1_000_000, // the benchmark must not be rate-limited
  quotas: { messagesPerHour: 1e9, storedBytesPerHour: 1e12 },
});

serveCalls({
  async listen() {
    const port = await server.listen({ port: 0, host: '127.0.0.1' });
    return { port, turnstile: await turnstile.listen() };
  },
  cpu,
  async report() {
    while (reports.length === 0) await new Promise<void>((resolve) => (onReport = resolve));
    return reports.shift();
  },
  startLoopMeter: () => loop.start(),
  stopLoopMeter: () => loop.stop(),
  async fill(count: number) {
    const { id } = await server.hub.create({ agent: idleAgent.name });
    const { session } = await server.hub.open(id);
    const writer = new SessionWriter(session);
    await writer.begin();
    for (let left = count - session.head.seq; left > 0; left -= 100) await writer.write(Math.min(left, 100));
    writers.set(id, writer);
    return id;
  },
  async trickle(sessionId: string, count: number, ms: number) {
    for (let left = count; left > 0; left -= 1) {
      void writers.get(sessionId)?.append();
      await sleep(ms);
    }
  },
  memory: readMemory,
  epoch: () => server.epoch,
});
