import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makePluginFiles } from './plugin-template.ts';

test('[PLG12] the manifest of a new plugin is the one that docs/publish.md explains', () => {
  const names = { plugin: 'notes', package: 'parley-plugin-notes' };
  const forDevelopment = { '@parleyhq/core': '^0.1.0', '@parleyhq/testkit': '^0.1.0' };
  const files = makePluginFiles(names, { version: '0.1.0', isPacked: false, forDevelopment });
  const shown = new URL('../../../../docs/examples/plugin-package.json', import.meta.url);
  expect(JSON.parse(files['package.json'] ?? '')).toEqual(JSON.parse(readFileSync(shown, 'utf8')));
  expect(files['README.md']).not.toContain('tgz');
  expect(files['README.md']).toContain('of its config file:\n\n    npm install parley-plugin-notes\n');
});
