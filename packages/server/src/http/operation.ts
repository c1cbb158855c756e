import { type ClientFrame, clientFrameSchema } from '@parleyhq/core';
import type { MiddlewareHandler } from 'hono';
import * as z from 'zod';
import * as mini from 'zod/mini';

/** Description of a route: its request and its responses. */
export interface Operation {
  readonly group: string;
  readonly summary: string;
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
  /** What the refusals of certain statuses mean. */
  readonly refusals?: Readonly<Record<number, string>>;
}

/** A response: its meaning and its body. */
export interface Content {
  readonly description: string;
  /** Media type. Default: JSON, if there is a schema */
  readonly type?: string | undefined;
  readonly schema?: z.core.$ZodType | undefined;
  readonly example?: unknown;
}

const operations = new WeakMap<object, Operation>();

/** Describes the route that it is registered with: `app.get(path, describe({ … }), handler)`. */
export function describe(operation: Operation): MiddlewareHandler {
  const passOn: MiddlewareHandler = (_, next) => next();
  operations.set(passOn, operation);
  return passOn;
}

/** Returns the description that `describe` made this handler of; undefined for other handlers. */
export function findOperation(handler: object): Operation | undefined {
  return operations.get(handler);
}

/** Describes a response of JSON. */
export function json(description: string, schema: z.core.$ZodType, example?: unknown): Content {
  return { description, schema, ...(example !== undefined && { example }) };
}

/** Describes a response of another media type. */
export function text(description: string, type: string): Content {
  return { description, type, schema: z.string() };
}

/** Responses of a route that returns nothing. */
export const nothing = { 204: { description: 'Done.' } };

/** Schema of the body of a refusal. */
export const refusalSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
});

/** Returns the schema of a request's body: the members of a frame that are not in its path. */
export function bodyOf(type: ClientFrame['type'], others: readonly string[]) {
  const frame = clientFrameSchema._zod.def.options.find(({ shape }) => shape.type._zod.values.has(type as never));
  const members = Object.entries<z.core.$ZodType>({ ...frame?.shape });
  return mini.object(Object.fromEntries(members.filter(([name]) => !['type', 'requestId', ...others].includes(name))));
}
