import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { useHostPage } from './host-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-embedded-'));
const config = join(folder, 'parley.config.json');
writeFileSync(config, JSON.stringify({ stepUp: 'high' }));
const plugin = fileURLToPath(new URL('plugins/vault.mjs', import.meta.url));
const site = useHostPage('PARLEY_ALLOWED_ORIGINS', '--config', config, '--plugin', plugin);
afterAll(() => rmSync(folder, { recursive: true }));

test('[SIGN2, TRN3] a card on another site’s page has no button that cannot work, and links to the page where one does', async () => {
  const { host, parley } = site;
  for (const tool of ['vault_open', 'vault_form']) {
    const { sessionId, interactionId } = await site.ask(`${tool} {}`);
    const page = await site.open(
      `<parley-interaction server="${host.server}" token="${parley.token}" session-id="${sessionId}" interaction-id="${interactionId}"></parley-interaction>`,
    );
    const link = page.getByRole('link', { name: 'answer it in Parley' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`${host.server}/s/${sessionId}/${interactionId}`);
    const buttons = page.getByRole('button', { name: /Allow|Deny|Submit/ });
    expect(await Promise.all((await buttons.all()).map((button) => button.isEnabled()))).not.toContain(true);
    expect(site.outcomeOf({ sessionId, interactionId })).toBeUndefined();
  }
});
