import { useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import askUser from '../../../../plugins/ask-user/src/index.ts';
import type { RetentionLimits } from '../../src/extensions/retention/retention.ts';
import { Journey } from '../support/journey.ts';
import { LocalServer } from '../support/local-server.ts';

const day = 86_400_000;
let now = Date.parse('2026-03-01T12:00:00Z');

/** Starts a server whose limits may change, and that applies them at the start. */
async function start() {
  const options = { plugins: [askUser], retention: {} as RetentionLimits, now: () => now };
  const server = await useInTest(new LocalServer(options));
  const restart = async (limits: RetentionLimits) => {
    Object.assign(options.retention, { maxAgeMs: undefined, maxSessions: undefined }, limits);
    await server.restart();
  };
  return { server, restart };
}

/** Creates an idle session that no tab follows any more. */
async function talk(server: LocalServer): Promise<Journey> {
  const journey = await Journey.begin(server);
  await journey.tab.say(journey.session, 'hello');
  await journey.event('turn_end');
  await journey.tab.close();
  now += day;
  return journey;
}

/** Returns the ids that are left after a sweep. */
const left = async (server: LocalServer, count: number) => {
  const listed = async () => (await server.store.sessions.list({})).map(({ session }) => session.id);
  await expect.poll(listed).toHaveLength(count);
  return listed();
};

test('[OPS6, OPS5] old sessions are deleted whole, and their audit stays', async () => {
  const { server, restart } = await start();
  const [old] = [await talk(server), await talk(server)];
  const young = await talk(server);
  await restart({ maxAgeMs: 1.5 * day });
  expect(await left(server, 1)).toEqual([young.session]);
  const tab = await server.open();
  expect(await tab.request({ type: 'subscribe', sessionId: old.session })).toMatchObject({
    error: { code: 'not_found' },
  });
  const [row] = (await server.store.audit.read(old.session)).slice(-1);
  expect(JSON.parse(row?.text ?? '{}')).toMatchObject({ event: 'session_deleted' });
  expect(row?.text).not.toContain('"by"');
});

test('[OPS6] of more sessions than the maximum, the least recently changed are deleted', async () => {
  const { server, restart } = await start();
  await talk(server);
  const [second, third] = [await talk(server), await talk(server)];
  await restart({ maxSessions: 2 });
  expect(await left(server, 2)).toEqual([third.session, second.session]);
});

test('[OPS6] no session is deleted that has an open prompt, is pinned, or is open in a tab', async () => {
  const { server, restart } = await start();
  const asked = await Journey.begin(server);
  const prompt = await asked.ask('ask_user', { question: 'Tea?' });
  await asked.tab.close();
  const pinned = await talk(server);
  const tab = await server.open();
  await tab.request({ type: 'update_session', sessionId: pinned.session, pinned: true });
  const gone = await talk(server);
  now += 30 * day;
  await restart({ maxAgeMs: day });
  const kept = await left(server, 2);
  expect(kept).not.toContain(gone.session);
  const again = await asked.join(server);
  expect(again.settlements(prompt)).toEqual([]);
});

test('[OPS6] without such a setting all are kept', async () => {
  const { server, restart } = await start();
  await talk(server);
  now += 1000 * day;
  await restart({});
  await talk(server);
  expect(await left(server, 2)).toHaveLength(2);
});
