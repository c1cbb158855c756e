import { expect, test } from 'vitest';
import { useAsking } from './asking.ts';
import { approval } from './samples.ts';

const { page, askHeld, holdTime } = useAsking();

/** Asks for an approval of which this many milliseconds are left on the page's clock. */
async function askWithin(id: string, ms: number): Promise<void> {
  const now = await page().evaluate(() => Date.now());
  await askHeld(id, { ...approval, expiresAt: new Date(now + ms).toISOString() });
}

test('[WEB5] the countdown is neutral, amber, red, and announced once each', async () => {
  await holdTime();
  await askWithin('a.1', 120_000);
  await askWithin('b.1', 62_000);
  await askWithin('c.1', 12_000);
  const phases = () =>
    page()
      .locator('parley-countdown [data-phase]')
      .evaluateAll((all) => all.map((x) => x.dataset.phase));
  await expect.poll(phases).toEqual(['neutral', 'neutral', 'amber']);
  await expect
    .poll(() =>
      page()
        .clock.runFor(250)
        .then(() => phases()),
    )
    .toEqual(['neutral', 'amber', 'red']);
  await page().getByText('1 minute left: ').waitFor({ state: 'attached' });
  await page().getByText('10 seconds left: ').waitFor({ state: 'attached' });
});

test.each([
  ['15 seconds left: ', 14_500],
  ['15 s left', 14_500],
  ['5:00 left', 300_400],
  ['7 days left', 7 * 86_400_000],
])('[WEB5] the time left is rounded truthfully: %s', async (words, ms) => {
  await holdTime();
  await askWithin('a.1', ms);
  await page().getByText(words).waitFor({ state: 'attached' });
});
