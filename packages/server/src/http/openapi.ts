import { clientFrameSchema, serverFrameSchema } from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import { type Content, describe, findOperation, json, type Operation, refusalSchema } from './operation.ts';
import type { Env } from './request.ts';

/** Serves the description of all routes of `app`, as OpenAPI. */
export function serveDescription(app: Hono<Env>, version: string): void {
  const own = describe({
    ...{ group: 'Server', summary: 'This description.', isOpen: true },
    responses: { 200: json('OpenAPI 3.1.', z.looseObject({ openapi: z.string() })) },
  });
  let text: string | undefined; // made at the first request, because it is rarely requested
  app.get('/api/openapi.json', own, (context) => {
    text ??= JSON.stringify(describeRoutes(app, version));
    return context.body(text, 200, { 'Content-Type': 'application/json' });
  });
}

/** Returns the description of the routes, made of the schemas that validate their requests. */
function describeRoutes({ routes }: Hono<Env>, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, handler } of routes) {
    const operation = findOperation(handler);
    if (!operation) continue;
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
      schemas: mapValues(named, (schema, id) => toJson(schema, 'output').$defs[id]),
    },
  };
}

/** Converts a path from the router's syntax to that of OpenAPI. */
function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
}

function describeOperation(path: string, operation: Operation): object {
  const { group, summary, isOpen, query, headers, body, bodyType: type, example, ...replies } = operation;
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => describeParameter('path', name, z.string())),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => describeParameter('query', name, schema)),
    ...Object.entries(headers?.shape ?? {}).map(([name, schema]) => describeParameter('header', name, schema)),
  ];
  const refused = { ...replies.refusals, default: 'The request is refused.' };
  const refusals = mapValues(refused, (description) => json(description, refusalSchema));
  return {
    summary,
    tags: [group],
    ...(isOpen && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...describeMedia({ type, schema: body, example }, 'input') } }),
    responses: mapValues({ ...replies.responses, ...refusals }, describeContent),
  };
}

function describeParameter(place: 'path' | 'query' | 'header', name: string | undefined, schema: z.core.$ZodType) {
  const required = !z.safeParse(schema, undefined).success;
  return { name, in: place, required, schema: describeSchema(schema, 'input') };
}

function describeContent({ description, ...media }: Content) {
  return { description, ...describeMedia(media, 'output') };
}

function describeMedia({ type = 'application/json', schema, example }: Omit<Content, 'description'>, io: Io) {
  const shown = example !== undefined && { example };
  return schema && { content: { [type]: { schema: describeSchema(schema, io), ...shown } } };
}

function describeSchema(schema: z.core.$ZodType, io: Io): object {
  const { $schema: _, $defs, ...own } = toJson(schema, io);
  return own;
}

type Io = 'input' | 'output';

/** Schemas that are defined once and referenced by name. */
const named = { ClientFrame: clientFrameSchema, ServerFrame: serverFrameSchema, Refusal: refusalSchema };
const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries<z.core.$ZodType>(named)) names.add(schema, { id });

const refsOfZod = '#/$defs/';
const refsHere = '#/components/schemas/';

function toJson(schema: z.core.$ZodType, io: Io) {
  const whole = z.toJSONSchema(schema, { metadata: names, io, unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(whole).replaceAll(refsOfZod, refsHere));
}

function mapValues<Value, Mapped>(record: Record<string, Value>, map: (value: Value, name: string) => Mapped) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
