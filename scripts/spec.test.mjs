// Every implemented rule of docs/spec.md must be cited by a test, with `[ID]` in the test's title.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isTest, listSources } from './gates/files.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const RULE = /^- \*\*([A-Z]+\d+[a-z]?)\*\*.*(?:\n {2,}\S.*)*/gm;
const PLANNED = '_(planned)_';
const TITLE = /(['"`])((?:(?!\1)[^\n\\]|\\.)*)\1/g;
const CITATION = /\[([A-Z]+\d+[a-z]?(?:, [A-Z]+\d+[a-z]?)*)\]/g;

/** The rules of a specification by id, and whether each is implemented. */
const readRules = (text) => new Map([...text.matchAll(RULE)].map(([rule, id]) => [id, !rule.includes(PLANNED)]));

/** Ids in string literals: `test('[INT4] first response wins')` or `'[INT4, INT5] …'`. */
const readCitations = (text) =>
  [...text.matchAll(TITLE)].flatMap(([, , title]) =>
    [...title.matchAll(CITATION)].flatMap(([, ids]) => ids.split(', ')),
  );

const readSpec = () => readRules(readFileSync(join(ROOT, 'docs/spec.md'), 'utf8'));
const readTests = () =>
  new Set(
    listSources(ROOT)
      .filter((file) => isTest(file) && file !== 'scripts/spec.test.mjs')
      .flatMap((file) => readCitations(readFileSync(join(ROOT, file), 'utf8'))),
  );

test('each implemented rule is cited by a test', () => {
  const rules = readSpec();
  const cited = readTests();
  expect(rules.size).toBeGreaterThan(0);
  expect([...rules].filter(([id, isBuilt]) => isBuilt && !cited.has(id)).map(([id]) => id)).toEqual([]);
});

test('each rule that a test cites is in the specification', () => {
  const rules = readSpec();
  expect([...readTests()].filter((id) => !rules.has(id))).toEqual([]);
});

test('rules and citations are recognised, and similar text is not', () => {
  const rules = readRules(
    '- **INT4** One wins.\n- **INT5** Late\n  ones go _(planned)_\n- see **INT6**\n- **OPS1a** Runs.\n',
  );
  expect([...rules]).toEqual([
    ['INT4', true],
    ['INT5', false],
    ['OPS1a', true],
  ]);
  const citations = readCitations("test('[INT4, INT5] a', f); // [INT7]\ntest.each(x)(`[OPS1a] b`, f); a[B1]");
  expect(citations).toEqual(['INT4', 'INT5', 'OPS1a']);
});
