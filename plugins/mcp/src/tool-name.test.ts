import { expect, test } from 'vitest';
import { nameTool } from './tool-name.ts';

test('[AGT4] a tool is named after its server and itself', () => {
  expect(nameTool('everything', 'get-sum')).toBe('everything__get-sum');
});

test('[AGT4] no two tools share a name, whatever servers call them, and each name is valid', () => {
  const long = 'x'.repeat(100);
  const pairs = [
    ...[
      ['a', 'b__c'],
      ['a__b', 'c'],
      ['a b', 'c'],
      ['a_b', 'c'],
      ['a.b', 'c'],
      ['1a', 'c'],
      ['s1a', 'c'],
      ['', 'c'],
      ['日本', 'c'],
      ['本日', 'c'],
    ],
    ...[
      [long, 'c'],
      [`${long}y`, 'c'],
      ['a', long],
      ['a', `${long}y`],
      ['a', 'c/d'],
      ['a', 'c_d'],
    ],
  ] as [string, string][];
  const names = pairs.map(([server, tool]) => nameTool(server, tool));
  expect(new Set(names).size).toBe(pairs.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
});
