import { expect, test } from 'vitest';
import { pathOf, startInTest } from './test/talk.ts';

test('[SIGN2] passkeys.config.json: what docs/passkeys.md gives to try demands a passkey for a yes, and none for a no', async () => {
  const token = 'parley_of-the-owner-with-a-passkey';
  const server = await startInTest({ token, args: ['--config', pathOf('passkeys.config.json')] });
  const made = await server.run('token', 'create', '--role', 'asker', '--name', 'try', '--json');
  const asker = ['--token', JSON.parse(made.stdout).token];
  const asking = server.run('approve', 'Try it?', '--subject', 'x', '--risk', 'high', ...asker);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const readInbox = async () => (await fetch(`${server.url}/api/interactions`, { headers })).json();
  await expect.poll(readInbox, { timeout: 30_000 }).toMatchObject({ open: [{ interaction: { stepUp: true } }] });
  const [{ sessionId, interaction }] = (await readInbox()).open;
  const answer = (body: object) =>
    fetch(`${server.url}/api/sessions/${sessionId}/interactions/${interaction.interactionId}/response`, {
      ...{ method: 'POST', headers, body: JSON.stringify(body) },
    });
  expect(await (await answer({ action: 'approve' })).json()).toMatchObject({ error: { code: 'step_up_required' } });
  expect((await answer({ action: 'deny' })).status).toBe(200);
  expect(await asking).toMatchObject({ code: 1 });
});
