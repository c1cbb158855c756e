import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { topics } from '../io/topic.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('[OPS2] docs/troubleshooting.md explains everything that parley doctor finds, in the same order', () => {
  const [, sections = ''] = read('../../../../docs/troubleshooting.md').split('\n## What parley doctor finds\n');
  expect([...sections.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(topics);
});

test('[OPS2] a test makes each of them appear', () => {
  const folders = ['../../test/doctor/', './'];
  const tests = folders.flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url)).flatMap((file) =>
      file.endsWith('.test.ts') ? read(`${folder}${file}`) : [],
    ),
  );
  expect(topics.filter((code) => !tests.some((text) => text.includes(`'${code}'`)))).toEqual([]);
});
