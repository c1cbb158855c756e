import type { Definition } from './definition.ts';
import type { OwnRequest } from './own-request.ts';

const cursor = { cursor: { type: 'string', description: 'Where the last list ended: its nextCursor.' } } as const;

/** The tools for these requests. That they only read is a claim, as with the server's own tools (APR3). */
const own: readonly (Definition & { readonly request: OwnRequest })[] = [
  {
    request: 'resources/list',
    name: 'list_resources',
    description: 'Lists the resources that this server has to read, and the templates of their addresses.',
    inputSchema: { type: 'object', properties: { ...cursor } },
    annotations: { readOnlyHint: true },
  },
  {
    request: 'resources/read',
    name: 'read_resource',
    description: 'Reads a resource of this server by its address.',
    inputSchema: { type: 'object', properties: { uri: { type: 'string', minLength: 1 } }, required: ['uri'] },
    annotations: { readOnlyHint: true },
  },
  {
    request: 'prompts/list',
    name: 'list_prompts',
    description: 'Lists the prompts that this server has prepared, and what each takes.',
    inputSchema: { type: 'object', properties: { ...cursor } },
    annotations: { readOnlyHint: true },
  },
  {
    request: 'prompts/get',
    name: 'get_prompt',
    description: 'Gets a prompt that this server has prepared, filled in. It is the server’s text, not a person’s.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        arguments: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['name'],
    },
    annotations: { readOnlyHint: true },
  },
];

/** Returns the tools for a server's resources and prompts, under names that none of the server's tools has. */
export function defineOwn(
  has: { readonly resources: boolean; readonly prompts: boolean },
  tools: readonly Pick<Definition, 'name'>[],
): readonly Definition[] {
  const taken = new Set(tools.map(({ name }) => name));
  const wanted = own.filter(({ request }) => (request.startsWith('resources/') ? has.resources : has.prompts));
  return wanted.map((definition) => {
    let { name } = definition;
    while (taken.has(name)) name = `${name}_too`;
    return { ...definition, name };
  });
}
