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
import type { Context } from 'hono';
import * as z from 'zod';
import type { Admission } from '../auth/auth.ts';
import { newId } from '../node/new-id.ts';
import type { CallingClient } from '../outside/outside-calls.ts';
import { isJson, TooLargeError } from './refusal.ts';
import type { Env } from './request.ts';

/** How requests that mean frames come in. */
export interface Entry {
  /** Whom a request's token or cookie lets in, as a program or as a person. */
  admit(context: Context<Env>, as: 'program' | 'person'): Promise<Admission | undefined>;
  /** Counts a request of somebody who was let in, a large one several times. @throws RefusalError `rate_limited` */
  pace(principal: Principal, count?: number): void;
  /** Its socket is not a stranger's any more (SEC11). */
  readonly onAdmitted: (socket: Socket) => void;
}

/** Who sends a request; of a stranger's nothing but the headers is read (SEC11). @throws RefusalError `unauthorised`, `rate_limited` */
export async function enter(
  context: Context<Env>,
  { admit, pace, onAdmitted }: Entry,
  {
    as = 'program',
    transport = 'http',
    maxBytes = limits.frameBytes,
  }: { as?: 'program' | 'person'; transport?: string; maxBytes?: number } = {},
): Promise<CallingClient> {
  const admission = await admit(context, as);
  if (!admission) throw new RefusalError('unauthorised');
  onAdmitted(context.env.incoming.socket);
  const { principal, credential } = admission;
  pace(principal, countBody(context, maxBytes));
  const id = newId(); // a request is a connection of its own
  const actor = { clientId: id, connectionId: id, ...namesOf(principal), transport, role: principal.role };
  const userAgent = context.req.header('user-agent')?.slice(0, 200);
  const address = context.env.incoming.socket.remoteAddress ?? '';
  return {
    principal,
    credential,
    actor,
    witness: { ...actor, address, ...(userAgent !== undefined && { userAgent }) },
  };
}

/**
 * How often a request counts, before its body is read: JSON by its size, as frames do, and as the largest that may come if it
 * does not say its size (SEC11). Files have quotas of their own.
 */
function countBody(context: Context<Env>, maxBytes: number): number {
  if (!isJson(context)) return 1;
  const isChunked = context.req.header('transfer-encoding') !== undefined;
  return countFrame(isChunked ? maxBytes : Number(context.req.header('content-length') ?? 0));
}

function namesOf({ id, name, owner }: Principal) {
  return { principal: id, ...(name !== undefined && { name }), ...(owner !== undefined && { owner }) };
}

/** The object that a request brings. @throws RefusalError `bad_frame` */
export async function readBody(
  context: Context<Env>,
  maxBytes: number = limits.frameBytes,
): Promise<Record<string, unknown>> {
  const body = await readJson(context, maxBytes);
  if (!isRecord(body)) throw badRequest('it is not an object');
  return body;
}

/** What a request brings. @throws RefusalError `bad_frame` */
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

/** Reads no more than it may, whatever the headers say. @throws RefusalError `bad_frame` */
export async function readText(context: Context<Env>, maxBytes: number): Promise<string> {
  if (!isJson(context)) throw badRequest('its Content-Type is not application/json');
  const chunks: Buffer[] = [];
  let bytes = Number(context.req.header('content-length') ?? 0);
  if (bytes > maxBytes) throw new TooLargeError(maxBytes);
  bytes = 0;
  for await (const chunk of context.env.incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLargeError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A request means what the frame of the same name means. @throws RefusalError `bad_frame` */
export function parseFrame<Type extends ClientFrameType>(type: Type, members: object): ClientFrameOf<Type> {
  return parse(clientFrameSchema, { ...members, type }) as ClientFrameOf<Type>;
}

/** @throws RefusalError `bad_frame` that names what does not fit */
export function parse<Schema extends z.core.$ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw badRequest(`${issue?.path.join('.')}: ${issue?.message}`);
}

export function badRequest(problem: string, cause?: unknown): RefusalError {
  return new RefusalError('bad_frame', { message: `This is no request that Parley knows: ${problem}.`, cause });
}
