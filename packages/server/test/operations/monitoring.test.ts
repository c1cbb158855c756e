import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer();
const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../docs/monitoring/${name}`, import.meta.url)), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

/** Reads what a server exports: the names of all series, and of the labels that its own counters have. */
async function readExported(): Promise<Set<string>> {
  const text = await (await fetch(`${server.httpUrl}/metrics`)).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((ending) => `${name}${ending}`) : [name],
    ),
  );
}

/** The metrics that an expression reads. */
const metricsOf = (expr: string) => [...expr.matchAll(/\b(?:parley|process|nodejs)_\w+/g)].map(([name]) => name);

test('[OPS3] the dashboard and the alert rules use only what a server exports, and all of its own metrics', async () => {
  const exported = await readExported();
  const { panels }: { panels: readonly Panel[] } = JSON.parse(read('parley-dashboard.json'));
  const { groups } = parse(read('parley-alerts.yml'), { strict: true });
  const rules: readonly { alert: string; expr: string }[] = groups.flatMap(
    (group: { rules: unknown[] }) => group.rules,
  );
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsOf(expr)));
  const watched = rules.flatMap(({ expr }) => metricsOf(expr));
  expect(shown.length).toBeGreaterThan(panels.length - 1);
  expect([...shown, ...watched].filter((name) => !exported.has(name))).toEqual([]);
  const bases = new Set(shown.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  const own = [...exported]
    .filter((name) => name.startsWith('parley_'))
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  expect(own.filter((name) => !bases.has(name))).toEqual([]);
  expect(rules.map(({ alert }) => alert)).toHaveLength(6);
});
