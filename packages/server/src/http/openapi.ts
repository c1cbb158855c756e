import * as z from 'zod';

/** Description of a route: its request and its responses. */
export interface Operation {
  readonly summary: string;
  readonly group: string;
  /** Needs no authentication; otherwise a bearer token or the cookie of the page is required. */
  readonly isOpen?: true;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.core.$ZodType;
  /** Media type of a body that is not JSON. */
  readonly bodyType?: string;
  /** Example of the body. */
  readonly example?: unknown;
  readonly responses: Readonly<Record<number, Content>>;
}

interface Content {
  readonly description: string;
  /** Media type. Default: JSON, if there is a schema */
  readonly type?: string;
  readonly schema?: z.core.$ZodType;
  readonly example?: unknown;
}

interface DescriptionOptions {
  readonly version: string;
  /** By method and path, as the router has them. */
  readonly operations: Readonly<Record<string, Operation>>;
  /** Schemas that are defined once and referenced by name. */
  readonly schemas: Readonly<Record<string, z.core.$ZodType>>;
  /** Schema of the body of a refusal. */
  readonly refusal: z.core.$ZodType;
}

type Io = 'input' | 'output';

const refsOfZod = '#/$defs/';
const refsHere = '#/components/schemas/';

/** Returns the OpenAPI description of routes, made of the schemas that validate their requests. */
export function describeRoutes({ version, operations, schemas, refusal }: DescriptionOptions): object {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) names.add(schema, { id });

  const toJson = (schema: z.core.$ZodType, io: Io) => {
    const whole = z.toJSONSchema(schema, { metadata: names, io, unrepresentable: 'any' });
    return JSON.parse(JSON.stringify(whole).replaceAll(refsOfZod, refsHere));
  };
  const describe = (schema: z.core.$ZodType, io: Io) => {
    const { $schema: _, $defs, ...own } = toJson(schema, io);
    return own;
  };
  const define = (id: string, schema: z.core.$ZodType) => toJson(schema, 'output').$defs[id];

  const describeMedia = (type: string, { schema, example }: Pick<Content, 'schema' | 'example'>, io: Io) =>
    schema && {
      content: { [type]: { schema: describe(schema, io), ...(example !== undefined && { example }) } },
    };
  const describeContent = ({ description, type = 'application/json', ...media }: Content) => ({
    description,
    ...describeMedia(type, media, 'output'),
  });
  const describeParameters = (place: 'query' | 'header', schema: z.ZodObject | undefined) =>
    Object.entries(schema?.shape ?? {}).map(([name, member]) => ({
      name,
      in: place,
      required: !z.safeParse(member, undefined).success,
      schema: describe(member, 'input'),
    }));

  const describeOperation = (path: string, operation: Operation) => {
    const { summary, group, isOpen, query, headers, body, bodyType, example, responses } = operation;
    const parameters = [
      ...namesIn(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...describeParameters('query', query),
      ...describeParameters('header', headers),
    ];
    return {
      summary,
      tags: [group],
      ...(isOpen && { security: [] }),
      ...(parameters.length > 0 && { parameters }),
      ...(body && {
        requestBody: {
          required: true,
          ...describeMedia(bodyType ?? 'application/json', { schema: body, example }, 'input'),
        },
      }),
      responses: {
        ...Object.fromEntries(Object.entries(responses).map(([status, content]) => [status, describeContent(content)])),
        default: describeContent({ description: 'The request is refused.', schema: refusal }),
      },
    };
  };

  const paths: Record<string, Record<string, object>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ');
    const at = toTemplate(path);
    paths[at] = { ...paths[at], [method.toLowerCase()]: describeOperation(at, operation) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Parley', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'parley_<port>',
          description: 'Cookie that `POST /api/login` sets, for the page.',
        },
      },
      schemas: Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, define(id, schema)])),
    },
  };
}

/** Converts a path from the router's syntax to that of OpenAPI. */
function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
}

function namesIn(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
}
