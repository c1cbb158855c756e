import { readdirSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { innerEvents } from '../src/embed/inner-events.ts';
import { launchBrowser } from './browser.ts';
import { HostPage } from './host-page.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

interface Named {
  readonly name: string;
  readonly default?: string;
}

interface Declaration {
  readonly tagName: string;
  readonly attributes: readonly (Named & { readonly fieldName: string })[];
  readonly members: readonly (Named & { readonly attribute: string })[];
  readonly events: readonly Named[];
  readonly cssParts: readonly Named[];
  readonly cssProperties: readonly Named[];
}

const declarations: readonly Declaration[] = JSON.parse(read('custom-elements.json')).modules[0].declarations;
const namesOf = (list: readonly Named[]): string[] => list.map(({ name }) => name).sort();
const union = (lists: readonly (readonly Named[])[]): string[] => [...new Set(lists.flatMap(namesOf))].sort();

const host = new HostPage();
let browser: Browser;

beforeAll(async () => {
  [browser] = await Promise.all([launchBrowser(), host.start()]);
});

afterAll(async () => {
  host.close();
  await browser.close();
});

test('[TRN3] the manifest has every element, with its attributes and properties', async () => {
  const page = await host.open(browser, '<main></main>');
  await page.evaluate(() => customElements.whenDefined('parley-session'));
  const tags = [...read('src/embed/public.ts').matchAll(/^ {4}'(parley-[\w-]+)': Parley\w+Element;/gm)].map(
    ([, tag]) => tag,
  );
  expect(declarations.map(({ tagName }) => tagName).sort()).toEqual(tags.sort());
  for (const { tagName, attributes, members } of declarations) {
    const properties = await page.evaluate((tag) => {
      const type = customElements.get(tag) as unknown as {
        elementProperties: Map<string, { attribute?: string | boolean }>;
      };
      return [...type.elementProperties].map(([name, { attribute }]) => [
        name,
        typeof attribute === 'string' ? attribute : name,
      ]);
    }, tagName);
    expect(members.map(({ name, attribute }) => [name, attribute]).sort()).toEqual([...properties].sort());
    expect(attributes.map(({ name, fieldName }) => [fieldName, name]).sort()).toEqual([...properties].sort());
  }
});

test('[TRN3] the manifest has every event, part and token', () => {
  const events = [...read('src/embed/public.ts').matchAll(/^ {2}'(parley-[\w-]+)': CustomEvent/gm)].map(
    ([, name]) => name,
  );
  expect(union(declarations.map((declaration) => declaration.events))).toEqual(events.sort());
  const elements = ['embedded-element', 'parley-session', 'parley-inbox', 'parley-interaction'].map((name) =>
    read(`src/embed/${name}.ts`),
  );
  const parts = elements.flatMap((code) =>
    [...code.matchAll(/\b(?:export)?parts?="([^"]+)"/g)].flatMap(([, list = '']) => list.split(', ')),
  );
  expect(union(declarations.map(({ cssParts }) => cssParts))).toEqual([...new Set(parts)].sort());
  const tokens = [...read('src/styles/tokens.css').matchAll(/^ {2}--([\w-]+):/gm)].map(
    ([, name]) => `--parley-${name}`,
  );
  for (const { cssProperties } of declarations) expect(namesOf(cssProperties)).toEqual([...new Set(tokens)].sort());
});

/** The folders whose elements are shown inside, and the dialogs that they use. */
const inner = [
  ...['form', 'inbox', 'prompt', 'session', 'transcript', 'ui'].flatMap((folder) =>
    readdirSync(new URL(`../src/${folder}`, import.meta.url)).map((file) => `${folder}/${file}`),
  ),
  ...['batch-bar', 'confirm-dialog', 'review-dialog', 'review-row'].map((name) => `dialogs/${name}.ts`),
];

test('[TRN3] the inner events of the elements do not reach the page around', () => {
  const code = inner.map((file) => read(`src/${file}`)).join('\n');
  const said = [...code.matchAll(/(?:CustomEvent|fire)\('(parley-[\w-]+)'/g)].map(([, name]) => name ?? '');
  const quiet = ['parley-comments', 'parley-loaded', 'parley-look', 'parley-step']; // they do not bubble
  const isQuiet = (name: string) => quiet.includes(name);
  expect([...innerEvents].sort()).toEqual([...new Set(said.filter((name) => !isQuiet(name)))].sort());
});
