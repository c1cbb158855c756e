import type { Page } from 'playwright-core';
import type { Gallery } from './open.ts';
import { comparePicture, takePicture } from './pictures.ts';
import { contextOf, nameVariant, pictured, type Variant } from './variants.ts';

/** Looks at the state that the page shows. @returns what is wrong */
export type Look = (page: Page) => Promise<readonly string[]>;

/** The states that one page shows: it keeps something of each in memory, in the end more than a small machine has. */
const mostPerPage = 30;

/**
 * Shows each state and collects what is wrong: with its picture, if there is an accepted one, with its names, its layout and its
 * focus, and what the other looks find.
 */
export async function lookAtAll(
  gallery: Gallery,
  variant: Variant,
  ...looks: readonly Look[]
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let from = 0, count = 1; from < count; from += mostPerPage) {
    const page = await gallery.open(contextOf(variant));
    await page.keyboard.press('Shift'); // makes the browser show the focus from now on
    const names = await page.evaluate(() => window.states.names);
    for (const name of names.slice(from, from + mostPerPage))
      found.push(...(await lookAt(page, name, variant, looks)).map((fault) => `${name}: ${fault}`));
    await page.context().close();
    count = names.length;
  }
  return found;
}

async function lookAt(page: Page, name: string, variant: Variant, looks: readonly Look[]): Promise<readonly string[]> {
  await page.evaluate((name) => window.states.show(name), name);
  const hasPicture = Object.values(pictured).some((one) => nameVariant(one) === nameVariant(variant));
  const faults = hasPicture ? [...(await findChange(page, name, variant))] : [];
  for (const look of [findUnsaid, checkState, ...looks]) faults.push(...(await look(page)));
  return faults;
}

const checkState: Look = (page) => page.evaluate(() => window.states.proofs.check());

/** Compares a picture, again if it differs: a busy machine may render the last part late. */
async function findChange(page: Page, state: string, variant: Variant): Promise<readonly string[]> {
  const look = async () => comparePicture(await takePicture(page), state, nameVariant(variant));
  if ((await look()) === undefined) return [];
  await page.evaluate(() => window.states.rest());
  const change = await look();
  return change === undefined ? [] : [change];
}

/** Name of what replaces a card that could not be rendered, perhaps because of its heading (WEB4). */
const undrawn = 'A prompt that cannot be shown';

/** Returns questions without a name in the accessibility tree, or that were not announced when they appeared. */
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

/** Returns the names of articles and dialogs in the accessibility tree. */
async function listNames(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ role, ignored }) => !ignored && ['article', 'dialog', 'DisclosureTriangle'].includes(role?.value))
    .map(({ name }) => String(name?.value));
}
