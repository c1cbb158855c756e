import { onTestFinished } from 'vitest';
import { usePostgres } from '../../../../../plugins/postgres/test/support/use-postgres.ts';
import { ServerProcess, type StartOptions } from '../../support/server-process.ts';

interface Two {
  readonly nodes: readonly [ServerProcess, ServerProcess];
  /** URL of their database. */
  readonly url: string;
}

/** Starts two servers on one new database, as an operator would. They end with the test. */
export async function startTwo(options: StartOptions = {}): Promise<Two> {
  const url = await (await usePostgres()).createDatabase();
  const start = () => ServerProcess.start({ ...options, env: { ...options.env, PARLEY_STORE: url } });
  const nodes = await Promise.all([start(), start()]);
  onTestFinished(async () => {
    for (const node of nodes) await node.remove();
  });
  return { nodes, url };
}
