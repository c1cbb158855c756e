import { join } from 'node:path';
import { ParleyServer } from '@parleyhq/server';
import { runAppends } from '../process/append-run.ts';
import { serveCalls } from '../process/child.ts';
import { TransactionMeter } from '../process/transactions.ts';
import { idleAgent, SessionWriter } from './session-writer.ts';
import { openStore } from './store.ts';

const [dataDir = '.', database] = process.argv.slice(2);
const transactions = new TransactionMeter();
const { hub } = new ParleyServer({
  store: await openStore(join(dataDir, 'append.db'), database),
  agents: [idleAgent],
  dataDir,
});
const kept = new Map<number, SessionWriter[]>();

async function openSession(): Promise<SessionWriter> {
  const { id } = await hub.create({ agent: idleAgent.name });
  const { session } = await hub.open(id);
  const writer = new SessionWriter(session);
  await writer.begin();
  return writer;
}

const methods = {
  /** Appends through each session's writer, which decides, folds and stores each event with the session's row. */
  async run(count: number, ms: number) {
    const sessions = kept.get(count) ?? (await Promise.all(Array.from({ length: count }, openSession)));
    kept.set(count, sessions);
    transactions.take();
    const report = await runAppends(sessions, ms, (group) => Promise.all(group.map((session) => session.append())));
    return { ...report, longest: transactions.take() };
  },
};

export type AppendMethods = typeof methods;

serveCalls(methods);
