import { tmpdir } from 'node:os';
import type { PluginHost } from '@parleyhq/core';
import { expect, test } from 'vitest';
import plugin from './index.ts';

test('[LESS2, DUR1] after a start rules are suggested and cover calls before any command was described', async () => {
  await plugin.setup?.({ config: undefined, dataDir: tmpdir() } as PluginHost);
  const args = { command: 'npm test' };
  const [rule] = plugin.suggestRules?.([{ toolName: 'run_command', args }]) ?? [];
  expect(rule).toMatchObject({ scopes: ['session'] });
  expect(plugin.covers?.(rule as never, args)).toBe(true);
});
