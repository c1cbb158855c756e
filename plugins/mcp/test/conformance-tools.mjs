import { setTimeout } from 'node:timers/promises';

const object = (properties = {}, more = {}) => ({ type: 'object', properties, ...more });

/** A tool for the suite that asks nobody. */
function tool(name, parameters, handler) {
  return {
    name,
    description: `For the conformance suite: ${name}.`,
    parameters,
    asking: true,
    readOnly: true,
    handler,
  };
}

const preserved = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** The tools that the MCP conformance suite calls, as far as they make sense for a server that asks people. */
export const conformanceTools = {
  name: 'conformance',
  tools: [
    tool('test_simple_text', object(), () => 'This is a simple text response for testing.'),
    tool('test_error_handling', object(), () => {
      throw new Error('This tool intentionally returns an error for testing');
    }),
    tool('test_tool_with_progress', object(), async () => {
      await setTimeout(2000);
      return 'done';
    }),
    tool(
      'json_schema_2020_12_tool',
      object(
        {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        preserved,
      ),
      () => 'ok',
    ),
  ],
};
