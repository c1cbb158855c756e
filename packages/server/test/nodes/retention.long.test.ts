import { expect, test } from 'vitest';
import { hold } from '../support/hold.ts';
import type { Tab } from '../support/tab.ts';
import { startAtTwo } from './support/open-at-two.ts';

const retention = { maxAgeMs: 1000 };
const timeout = 120_000;

/** Creates a session that is kept until `release`. */
async function createKept(tab: Tab): Promise<string> {
  for (;;) {
    const session = await tab.createSession();
    const pinned = await tab.request({ type: 'update_session', sessionId: session, pinned: true });
    if (pinned.ok) return session; // otherwise it expired first
  }
}

async function release(tab: Tab, session: string): Promise<void> {
  await tab.ask({ type: 'update_session', sessionId: session, pinned: false });
}

/** Waits until all old sessions were checked again: a session that is newer than all of them was deleted. */
async function lookedAgain(tab: Tab): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    const session = await createKept(tab);
    await release(tab, session);
    await tab.until((frame) => frame.type === 'session_deleted' && frame.session.id === session);
  }
}

test('[OPS4, OPS6] a session that is open in a tab of another node is not deleted', { timeout }, async () => {
  const { a, atA, atB } = await startAtTwo({ retention });
  const session = await createKept(atA);
  await atB.follow(session);
  await atA.follow(session);
  await atA.until((frame) => frame.type === 'presence' && frame.sessionId === session && frame.connections === 2);
  await atA.close();
  await release(atB, session);
  await lookedAgain(await a.open());
  expect(await atB.say(session, 'hello')).toMatchObject({ seq: expect.any(Number) });
});

test('[OPS4, OPS6] a session in which somebody writes at another node while it is being deleted is kept with what they wrote', {
  timeout,
}, async () => {
  const { a, atA, atB } = await startAtTwo({ retention });
  const [deciding, written] = [hold(), hold()];
  const session = await createKept(atA);
  a.store.intercept('sessions', 'remove', async (proceed, id) => {
    if (id !== session) return proceed();
    deciding.release();
    await written.until;
    return proceed();
  });
  await release(atA, session);
  await deciding.until;
  await atB.follow(session);
  await atB.say(session, 'hello');
  await atB.event(session, 'turn_end');
  written.release();
  await lookedAgain(atA);
  expect(await atB.say(session, 'and more')).toMatchObject({ seq: expect.any(Number) });
});
