// Two nodes on one database get the next release one after the other: see docs/upgrade.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connectServer, ParleyClient } from '@parleyhq/client';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { PersonTab } from '../../../client/src/process/person-tab.ts';
import { Door } from '../../../server/test/nodes/support/door.ts';
import { failToStart } from '../../../server/test/support/fail-to-start.ts';
import { ServerProcess } from '../../../server/test/support/server-process.ts';
import { pathOf } from './example.ts';
import { buildNextRelease } from './next-release.ts';

const token = 'parley_of-the-owner-of-two-nodes';
const people = 10;
const questions = 6;

/** A person whose tab reconnects by itself, in a session of their own. */
async function enter(door: Door): Promise<PersonTab> {
  const transport = connectServer(`http://127.0.0.1:${door.port}`, { WebSocket: WebSocket as never });
  const client = new ParleyClient({ token, transport });
  client.start();
  onTestFinished(() => client.stop());
  const { id } = await client.createSession({});
  const tab = new PersonTab(client, client.open(id));
  await tab.until(({ phase }) => phase === 'live' || undefined, 'the session');
  return tab;
}

test('[OPS8, OPS4, DUR1] two nodes get the next release one after the other, and no question is lost', {
  timeout: 240_000,
}, async () => {
  const folder = mkdtempSync(join(pathOf('node_modules'), '.parley-next-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const main = await buildNextRelease(join(folder, 'cli'));
  const store = await (await usePostgres()).createDatabase();
  const door = await Door.open();
  onTestFinished(() => door.close());
  const options = {
    args: ['--behind-proxy'],
    plugins: [pathOf('docs/examples/hello.mjs')],
    env: { PARLEY_TOKEN: token, PARLEY_STORE: store, PARLEY_ALLOWED_ORIGINS: `http://127.0.0.1:${door.port}` },
  };
  const nodes = [await ServerProcess.start(options), await ServerProcess.start(options)] as const;
  for (const node of nodes) onTestFinished(() => node.remove());
  const portsOf = (...those: readonly ServerProcess[]) => those.map(({ ready }) => ready.port);
  door.leadTo(...portsOf(...nodes));

  const tabs = await Promise.all(Array.from({ length: people }, () => enter(door)));
  const open = await Promise.all(
    tabs.map(async (tab) => {
      await tab.say(Array(questions).fill('/call greet').join('\n'));
      return [...(await tab.prompts(questions))];
    }),
  );
  const answerOne = () =>
    Promise.all(
      tabs.map(async (tab, n) => {
        const prompt = open[n]?.pop();
        if (prompt) await tab.submit(prompt, { name: `person ${n}` });
      }),
    );

  for (const node of nodes) {
    const [other] = nodes.filter((each) => each !== node);
    if (!other) throw new Error('there is one node');
    door.leadTo(...portsOf(other)); // as a load balancer does once it finds the node not ready
    expect(await node.kill('SIGTERM')).toBe(0);
    await other.says('a node has ended');
    const [ended] = [...other.stderr.join('').matchAll(/"owner":"([^"]+)","msg":"a node has ended/g)].map(
      ([, id]) => id,
    );
    const isLeft = () => tabs.some((tab) => tab.session.state.head.turn?.owner === ended);
    await expect.poll(isLeft, { timeout: 60_000 }).toBe(false); // its turns continue at the other one
    await answerOne();
    await node.restart({ main });
    await answerOne(); // at a node of this release, once the other has changed the database
    door.leadTo(...portsOf(node));
    await answerOne();
    door.leadTo(...portsOf(...nodes));
  }

  expect(open.flat()).toEqual([]);
  for (const [n, tab] of tabs.entries()) {
    const { payload } = await tab.event('assistant_done', ({ payload }) => payload.text.includes('returned'));
    expect(payload.text).toBe(Array(questions).fill(`greet returned: "Hello, person ${n}!"`).join('\n'));
    const promptsOf = (type: 'interaction_request' | 'interaction_response') =>
      tab.events(type).map(({ payload }) => payload.interactionId);
    const asked = promptsOf('interaction_request');
    expect(asked).toHaveLength(questions); // they would be here twice if the history had started over
    expect(promptsOf('interaction_response').toSorted()).toEqual(asked.toSorted());
  }
  const refused = await failToStart(options);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/written by a newer Parley \(schema \d+;/)]);
});
