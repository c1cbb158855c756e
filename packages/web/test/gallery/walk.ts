import type { Page } from 'playwright-core';
import type { Gallery } from './open.ts';
import { comparePicture, takePicture } from './pictures.ts';
import { contextOf, nameVariant, pictured, type Variant } from './variants.ts';

type Look = (page: Page) => Promise<readonly string[]>;

/** Shows each state in one page, and collects what is wrong: its picture, if one is accepted, what must hold in each, and what `look` finds. */
export async function lookAtAll(gallery: Gallery, variant: Variant, look?: Look): Promise<readonly string[]> {
  const hasPicture = Object.values(pictured).some((one) => nameVariant(one) === nameVariant(variant));
  const page = await gallery.open(contextOf(variant));
  await page.keyboard.press('Shift'); // from now on the focus is shown
  const found: string[] = [];
  for (const name of await page.evaluate(() => window.states.names)) {
    await page.evaluate((name) => window.states.show(name), name);
    const faults = [
      ...(hasPicture ? await findChange(page, name, variant) : []),
      ...(await findUnsaid(page)),
      ...(await page.evaluate(() => window.states.proofs.check())),
      ...((await look?.(page)) ?? []),
    ];
    found.push(...faults.map((fault) => `${name}: ${fault}`));
  }
  await page.context().close();
  return found;
}

/** A busy machine may draw the last part late: what differs is looked at twice. */
async function findChange(page: Page, state: string, variant: Variant): Promise<readonly string[]> {
  const look = async () => comparePicture(await takePicture(page), state, nameVariant(variant));
  if ((await look()) === undefined) return [];
  await page.evaluate(() => window.states.rest());
  const change = await look();
  return change === undefined ? [] : [change];
}

/** What stands for a card that failed to draw: its question may be what it failed on (WEB4). */
const undrawn = 'A prompt that cannot be shown';

/** Each question is a name in the tree that screen readers read, and was said when it came. */
async function findUnsaid(page: Page): Promise<readonly string[]> {
  const { asked, announced } = await page.evaluate(() => {
    return { asked: window.states.asked, announced: window.states.announced };
  });
  if (asked.length === 0) return [];
  const names = await listNames(page);
  if (names.includes(undrawn)) return [];
  const last = asked.at(-1) ?? '';
  return [
    ...asked.filter((question) => !names.includes(question)).map((question) => `no card is named “${question}”`),
    ...(announced.some((words) => words.includes(last)) ? [] : [`nobody says “${last}”`]),
  ];
}

/** The names of articles and dialogs, as the browser tells them to screen readers. */
async function listNames(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ role, ignored }) => !ignored && ['article', 'dialog', 'DisclosureTriangle'].includes(role?.value))
    .map(({ name }) => String(name?.value));
}
