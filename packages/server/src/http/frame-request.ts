import type { Socket } from 'node:net';
import {
  type ClientFrameOf,
  type ClientFrameType,
  clientFrameSchema,
  countFrame,
  InexactNumberError,
  isRecord,
  isTooDeep,
  limits,
  type Principal,
  parseExactJson,
  RefusalError,
} from '@parleyhq/core';
import { newId } from '@parleyhq/runtime';
import type { Context } from 'hono';
import * as z from 'zod';
import type { Admission } from '../auth/auth.ts';
import type { QuotaService } from '../auth/quota-service.ts';
import type { CallingClient } from '../extensions/programs/call-request.ts';
import { isJson, TooLargeError } from './refusal.ts';
import { type Authentication, authorise, type Env } from './request.ts';

/** Admission of requests that have the meaning of frames. */
export interface Entry extends Authentication {
  readonly quotas: QuotaService;
  /** Called once the socket of a request is authenticated (SEC11). */
  readonly onAdmitted: (socket: Socket) => void;
}

/**
 * Authenticates the sender of a request; until then only its headers are read (SEC11).
 * @param options.countsAll - whether a body that is not JSON counts by its size, too; files have quotas of their own
 * @throws RefusalError `unauthorised`, `rate_limited`
 */
export async function enter(
  context: Context<Env>,
  entry: Entry,
  {
    as = 'program',
    transport = 'http',
    maxBytes = limits.frameBytes,
    countsAll = false,
  }: { as?: 'program' | 'person'; transport?: string; maxBytes?: number; countsAll?: boolean } = {},
): Promise<CallingClient> {
  const admission = await admit(context, entry, as);
  if (!admission) throw new RefusalError('unauthorised');
  entry.onAdmitted(context.env.incoming.socket);
  const { principal, credential } = admission;
  const count = countsAll || isJson(context) ? countBody(context, maxBytes) : 1;
  entry.quotas.pace(principal, count);
  const id = newId(); // each request counts as a connection
  const actor = { clientId: id, connectionId: id, ...namesOf(principal), transport, role: principal.role };
  const userAgent = context.req.header('user-agent')?.slice(0, 200);
  const address = context.env.incoming.socket.remoteAddress ?? '';
  return {
    principal,
    credential,
    actor,
    auditActor: { ...actor, address, ...(userAgent !== undefined && { userAgent }) },
  };
}

/**
 * Authenticates a request by its token or cookie. If everybody is admitted, an external program is still only the asker `local`,
 * never the owner (ASK2).
 */
export function admit(
  context: Context<Env>,
  door: Authentication,
  as: 'program' | 'person',
): Promise<Admission | undefined> {
  const isLocal = door.auth.isOpen && as === 'program';
  return isLocal ? door.auth.admitLocal() : authorise(context, door);
}

/**
 * Returns how many times a request counts, before its body is read: by its size, as frames do, and as the maximum if it does not
 * declare its size (SEC11).
 */
export function countBody(context: Context<Env>, maxBytes: number): number {
  const isChunked = context.req.header('transfer-encoding') !== undefined;
  return countFrame(isChunked ? maxBytes : Number(context.req.header('content-length') ?? 0));
}

function namesOf({ id, name, owner }: Principal) {
  return { principal: id, ...(name !== undefined && { name }), ...(owner !== undefined && { owner }) };
}

/** Reads the body, which must be an object. @throws RefusalError `bad_frame` */
export async function readBody(
  context: Context<Env>,
  maxBytes: number = limits.frameBytes,
): Promise<Record<string, unknown>> {
  const body = await readJson(context, maxBytes);
  if (!isRecord(body)) throw badRequest('it is not an object');
  return body;
}

/** Reads the body as JSON. @throws RefusalError `bad_frame` */
export async function readJson(context: Context<Env>, maxBytes: number = limits.frameBytes): Promise<unknown> {
  return parseJson(await readText(context, maxBytes));
}

/** @throws RefusalError `bad_frame` */
export function parseJson(text: string): unknown {
  if (isTooDeep(text, limits.jsonDepth)) throw badRequest('it is nested too deeply');
  try {
    return parseExactJson(text);
  } catch (error) {
    throw badRequest(error instanceof InexactNumberError ? error.message : 'it is not JSON', error);
  }
}

/** Reads the body, which must be declared as JSON. @throws RefusalError `bad_frame` */
export async function readText(context: Context<Env>, maxBytes: number): Promise<string> {
  requireJson(context);
  return (await readBytes(context, maxBytes)).toString();
}

/** @throws RefusalError `bad_frame` if the body is not declared as JSON */
export function requireJson(context: Context<Env>): void {
  if (!isJson(context)) throw badRequest('its Content-Type is not application/json');
}

/** Reads the body, but no more than `maxBytes`, whatever the headers say. @throws RefusalError `bad_frame` */
export async function readBytes(context: Context<Env>, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = Number(context.req.header('content-length') ?? 0);
  if (bytes > maxBytes) throw new TooLargeError(maxBytes);
  bytes = 0;
  for await (const chunk of context.env.incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLargeError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses a request as the frame of the same name. @throws RefusalError `bad_frame` */
export function parseFrame<Type extends ClientFrameType>(type: Type, members: object): ClientFrameOf<Type> {
  return parse(clientFrameSchema, { ...members, type }) as ClientFrameOf<Type>;
}

/** Validates a value. @throws RefusalError `bad_frame` that names the member that is invalid */
export function parse<Schema extends z.core.$ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw badRequest(`${issue?.path.join('.')}: ${issue?.message}`);
}

export function badRequest(problem: string, cause?: unknown): RefusalError {
  return new RefusalError('bad_frame', { message: `Invalid request: ${problem}.`, cause });
}
