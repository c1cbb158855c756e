import { expect, test } from 'vitest';
import type { McpTool } from './connection.ts';
import { defineTool, describeChange, revisionOf } from './definition.ts';

const tool: McpTool = { name: 'chart', inputSchema: { type: 'object' } };
const pageOf = (resourceUri: string) => ({ _meta: { ui: { resourceUri } } });

test('[AGT4, APR3] a tool that gets another page is still the tool that people allowed', () => {
  const before = defineTool(tool);
  const after = defineTool({ ...tool, ...pageOf('ui://charts/view') });
  expect(after.page).toBe('ui://charts/view');
  expect(revisionOf(after)).toBe(revisionOf(before));
  expect(describeChange(before, after)).toBeUndefined();
  expect(describeChange(before, { ...after, description: 'Another.' })).toBeDefined();
});
