import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runParley } from '../../../server/test/support/command.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { startServer } from '../../../server/test/support/use-server.ts';
import { makeOldDatabase } from './golden.ts';

/** The releases whose databases are stored. */
const releases = ['0.1.0'];

test.each(releases)(
  '[OPS8, EVT5, DUR1] from %s to this release while a hundred questions are open: all are answered',
  {
    timeout: 180_000,
  },
  async (release) => {
    const dataDir = join(makeFolder(), 'data');
    const sessions = makeOldDatabase(dataDir, release, 50);
    expect(await runParley('backup', join(makeFolder(), 'copy.db'), '--data-dir', dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was written by an older Parley: start the server once to update it'),
    });

    const server = await startServer({ dataDir, args: ['--no-auth', '--trust'] });
    const tab = await server.open();
    let count = 0;
    for (const session of sessions) {
      await tab.follow(session);
      const events = tab.events(session);
      const settled = new Set(
        events.flatMap(({ type, payload }) => (type === 'interaction_response' ? [payload.interactionId] : [])),
      );
      for (const { type, payload } of events) {
        if (type !== 'interaction_request' || settled.has(payload.interactionId)) continue;
        const input = payload.toolName === 'ask_user' ? { answer: 'Yes' } : { email: 'ann@example.org' };
        expect(await tab.answer(session, payload, { action: 'submit', input })).toMatchObject({ ok: true });
        count += 1;
      }
    }
    expect(count).toBe(100);
    for (const session of sessions) {
      await tab.event(session, 'user_message', ({ payload }) => payload.text === 'Queued before the upgrade');
      const words = await tab.event(session, 'assistant_done', ({ payload }) => payload.text.includes('collect_email'));
      expect(words.payload.text).toContain('ask_user returned: {"ok":true,"answer":"Yes"}');
    }
    expect(await runParley('audit', '--data-dir', dataDir)).toMatchObject({ code: 0 });
  },
);
