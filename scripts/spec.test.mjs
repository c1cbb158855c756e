// Reads the specification, docs/spec: every implemented rule must be cited by a test, with `[ID]` in the test's title.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isTest, listFiles, listSources } from './gates/files.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = 'docs/spec';
const RULE = /^## ([A-Z]+\d+[a-z]?): .*\n((?:(?!## ).*\n?)*)/gm;
const FAMILY = /^# .* \(([A-Z]+)\)$/m;
const CLAUSE = /^(\d+)\. /gm;
const PLANNED = '_(planned)_';
const TITLE = /(['"`])((?:(?!\1)[^\n\\]|\\.)*)\1/g;
const CITATION = /\[([A-Z]+\d+[a-z]?(?:, [A-Z]+\d+[a-z]?)*)\]/g;

/** Reads the rules of one file: id, numbers of the clauses, and whether the rule is implemented. */
const readRules = (text) =>
  [...text.matchAll(RULE)].map(([, id, body]) => ({
    id,
    clauses: [...body.matchAll(CLAUSE)].map(([, number]) => Number(number)),
    isBuilt: !body.includes(PLANNED),
  }));

/** Returns the folders that a family names for its tests. */
const readTestFolders = (text) => {
  const [, links] = /^Tests: ((?:.+\n)+)/m.exec(text);
  return [...links.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => `${join(FOLDER, link)}/`);
};

/** Finds ids in string literals, such as `test('[INT4] first response wins')` or `'[INT4, INT5] …'`. */
const readCitations = (text) =>
  [...text.matchAll(TITLE)].flatMap(([, , title]) =>
    [...title.matchAll(CITATION)].flatMap(([, ids]) => ids.split(', ')),
  );

const families = listFiles(ROOT, join(ROOT, FOLDER))
  .filter((file) => basename(file) !== 'README.md')
  .map((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return { file, name: FAMILY.exec(text)?.[1], rules: readRules(text), folders: readTestFolders(text) };
  });
const rules = families.flatMap((family) => family.rules);

const citations = listSources(ROOT)
  .filter((file) => isTest(file) && file !== 'scripts/spec.test.mjs')
  .flatMap((file) => readCitations(readFileSync(join(ROOT, file), 'utf8')).map((id) => ({ file, id })));

describe.each(families)('$file', ({ name, rules, folders }) => {
  test('each implemented rule is cited by a test in a folder that the family names', () => {
    const cited = new Set(
      citations.filter(({ file }) => folders.some((folder) => file.startsWith(folder))).map(({ id }) => id),
    );
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter(({ id, isBuilt }) => isBuilt && !cited.has(id)).map(({ id }) => id)).toEqual([]);
  });

  test('each folder that the family names has such a test', () => {
    const ids = new Set(rules.map(({ id }) => id));
    const files = citations.filter(({ id }) => ids.has(id)).map(({ file }) => file);
    expect(folders.filter((folder) => !files.some((file) => file.startsWith(folder)))).toEqual([]);
  });

  test('the rules belong to the family, and their clauses are numbered in order', () => {
    expect(rules.filter(({ id }) => id.replace(/\d.*/, '') !== name)).toEqual([]);
    expect(rules.filter(({ clauses }) => clauses.length === 0 || clauses.some((n, at) => n !== at + 1))).toEqual([]);
  });
});

test('each id names one rule', () => {
  const ids = rules.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test('each implemented rule is cited by a test that `npm test` does not leave out', () => {
  const isLeftOut = (file) => /\.(long|packages|firefox|sdk|clients)\.test\./.test(file);
  const cited = new Set(citations.filter(({ file }) => !isLeftOut(file)).map(({ id }) => id));
  expect(rules.filter(({ id, isBuilt }) => isBuilt && !cited.has(id)).map(({ id }) => id)).toEqual([]);
});

test('each rule that a test cites is in the specification', () => {
  const ids = new Set(rules.map(({ id }) => id));
  expect(citations.filter(({ id }) => !ids.has(id))).toEqual([]);
});

test('the index has one line for each family', () => {
  const index = readFileSync(join(ROOT, FOLDER, 'README.md'), 'utf8');
  const entries = [...index.matchAll(/^- \[.*?\]\((.*?)\) \(([A-Z]+)\): /gm)].map(
    ([, file, name]) => `${file} ${name}`,
  );
  expect(entries.sort()).toEqual(families.map(({ file, name }) => `${basename(file)} ${name}`).sort());
});

test('rules and citations are recognised, and similar text is not', () => {
  const text =
    '# Odd (INT)\n\n## INT4: One wins\n\n1. One wins.\n2. Late\n   ones lose.\n\n## INT5: Later\n\n1. See INT6. _(planned)_\n\n' +
    '### INT7: No rule\n\n## OPS1a: Runs\n\nIt runs.\n';
  expect(readRules(text)).toEqual([
    { id: 'INT4', clauses: [1, 2], isBuilt: true },
    { id: 'INT5', clauses: [1], isBuilt: false },
    { id: 'OPS1a', clauses: [], isBuilt: true },
  ]);
  const citations = readCitations("test('[INT4, INT5] a', f); // [INT7]\ntest.each(x)(`[OPS1a] b`, f); a[B1]");
  expect(citations).toEqual(['INT4', 'INT5', 'OPS1a']);
});
