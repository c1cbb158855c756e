import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { documentPictures, drawDocumentPicture, imageFolder } from './gallery/documents.ts';
import { readPixels } from './gallery/pictures.ts';

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

test.each(Object.entries(documentPictures))(
  'the picture %s of the documents is the gallery’s (npm run gallery -- --pictures)',
  async (name, states) => {
    const [shown, drawn] = await Promise.all([
      readPixels(`${imageFolder}${name}.webp`),
      drawDocumentPicture(states).then(readPixels),
    ]);
    expect([shown.width, shown.height]).toEqual([drawn.width, drawn.height]);
    expect(shown.data.equals(drawn.data)).toBe(true);
  },
);

test('the document lists every token of the page, with its values', async () => {
  const [css, document] = await Promise.all([read('packages/web/src/styles/tokens.css'), read('docs/web.md')]);
  const [, root = ''] = /Design tokens[\s\S]*?\*\/[^{]*\{([\s\S]*?)\n\}/.exec(css) ?? [];
  const tokens = [...root.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(
    ([, name, value = '']) => `${name} ${value.replace(/\s+/g, ' ').trim()}`,
  );
  const rows = [...document.matchAll(/^\| `(--[\w-]+)` \| `([^`]+)` \|/gm)].map(
    ([, name, value]) => `${name} ${value}`,
  );
  expect(tokens.length).toBeGreaterThan(40);
  expect(rows).toEqual(tokens);
});
