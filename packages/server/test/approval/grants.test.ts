import { expect, test } from 'vitest';
import { Journey, loadPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const server = useLocalServer({ plugins: [await loadPlugin('approve.mjs')] });

interface Listed {
  readonly id: string;
  readonly key: string;
  readonly uses: number;
}

const list = async (tab: Tab, filter: object = {}): Promise<Listed[]> =>
  (await tab.ask<{ grants: Listed[] }>({ type: 'list_grants', ...filter })).grants;

/** Waits until a tab is notified that grants changed, of a session or of all. */
async function hear(tab: Tab, sessionId: string | undefined, from: number): Promise<void> {
  await tab.until((frame) => frame.type === 'grants_changed' && frame.sessionId === sessionId, from);
}

async function allow(journey: Journey, path: string, approvalScope: string) {
  const { tab, session } = journey;
  const { seq } = await tab.say(session, `/call wipe ${JSON.stringify({ path })}`);
  const prompt = await tab.prompt(session, seq);
  await journey.answer(prompt, { action: 'approve', approvalScope });
  return journey.grantOf(prompt);
}

test('[APR4] every tab is notified when a grant is given, used or revoked, and of which session', async () => {
  const [one, other] = [await Journey.begin(server), await Journey.begin(server)];
  const given = other.tab.frames.length;
  const own = await allow(one, 'a', 'session');
  await hear(other.tab, one.session, given);
  await one.event('turn_end');
  expect(await list(other.tab, { sessionId: one.session })).toMatchObject([{ id: own, uses: 0 }]);

  const used = other.tab.frames.length;
  await one.run('wipe', { path: 'a' });
  await hear(other.tab, one.session, used);
  expect(await list(other.tab, { sessionId: one.session })).toMatchObject([{ id: own, uses: 1 }]);

  const lasting = other.tab.frames.length;
  const always = await allow(other, 'a', 'always');
  await hear(one.tab, undefined, 0);
  await hear(other.tab, undefined, lasting);

  const revoked = other.tab.frames.length;
  await one.tab.ask({ type: 'revoke_grant', grantId: own });
  await hear(other.tab, undefined, revoked);
  expect((await list(one.tab)).map(({ id }) => id)).toEqual([always]);
  expect(await one.tab.request({ type: 'revoke_grant', grantId: own })).toMatchObject({ error: { code: 'not_found' } });
  await one.tab.ask({ type: 'revoke_grant', grantId: always });
});

test("[APR4] list_grants returns a session's grants and those for all sessions, up to the limit", async () => {
  const [one, other] = [await Journey.begin(server), await Journey.begin(server)];
  const ids: string[] = [];
  for (const path of ['a', 'b']) {
    ids.push(await allow(one, path, 'session'));
    await one.event('turn_end', undefined, one.events('user_message').at(-1)?.seq);
  }
  await allow(other, 'c', 'session');
  const always = await allow(one, 'd', 'always');
  const idsOf = async (filter: object) => (await list(one.tab, filter)).map(({ id }) => id);
  expect(await idsOf({ sessionId: one.session })).toEqual([...ids, always]);
  expect(await idsOf({ sessionId: one.session, limit: 2 })).toEqual([ids[1], always]);
  expect(await idsOf({ sessionId: 'no-such-session' })).toEqual([always]);
  expect(await idsOf({})).toHaveLength(4);
  await one.tab.ask({ type: 'revoke_grant', grantId: always });
});
