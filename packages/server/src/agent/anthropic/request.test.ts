import type { ToolOffer } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { makeRequest, type RequestOptions } from './request.ts';

const options: RequestOptions = { system: 'Be brief.', maxTokens: 100, thinking: 'off', cacheTtl: '5m' };

test('[AGT2] a choice at the top of a schema, for which the API refuses the request, is told in words', () => {
  const properties = { a: { type: 'string' }, b: { type: 'string' } };
  const anyOf = [{ required: ['a'] }, { required: ['b'] }];
  const offer = { name: 'pick', description: 'Picks.', parameters: { type: 'object', properties, anyOf } };
  const { tools } = makeRequest(options, 'm', [offer as unknown as ToolOffer], [], []);
  expect(tools).toEqual([
    {
      name: 'pick',
      description: `Picks.\nThe arguments also fit this schema: ${JSON.stringify({ anyOf })}`,
      input_schema: { type: 'object', properties },
    },
  ]);
});
