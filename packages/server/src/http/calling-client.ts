import type { Socket } from 'node:net';
import { limits, type Principal, RefusalError } from '@parleyhq/core';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Admission } from '../auth/auth.ts';
import { isTooDeep } from '../node/json-depth.ts';
import { newId } from '../node/new-id.ts';
import type { CallingClient } from '../outside/outside-calls.ts';
import { isJson, refuse } from './refusal.ts';
import type { Env } from './request.ts';

/** How programs come in. */
export interface ProgramDoor {
  /** Whom a request's token or cookie lets in, as a program or as a person. */
  admit(context: Context<Env>, as: 'program' | 'person'): Promise<Admission | undefined>;
  /** Its socket is not a stranger's any more (SEC11). */
  readonly onAdmitted: (socket: Socket) => void;
}

export const limitCall = bodyLimit({
  maxSize: limits.frameBytes,
  onError: (context) => refuse(context, 413, 'bad_frame', `A call has at most ${limits.frameBytes} bytes.`),
});

/** Who sends a request. @throws RefusalError `unauthorised` */
export async function enter(
  context: Context<Env>,
  { admit, onAdmitted }: ProgramDoor,
  { as = 'program', transport = 'http' }: { as?: 'program' | 'person'; transport?: string } = {},
): Promise<CallingClient> {
  const admission = await admit(context, as);
  if (!admission) throw new RefusalError('unauthorised');
  onAdmitted(context.env.incoming.socket);
  const { principal, credential } = admission;
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

function namesOf({ id, name, owner }: Principal) {
  return { principal: id, ...(name !== undefined && { name }), ...(owner !== undefined && { owner }) };
}

/** The body of a request. @throws RefusalError `bad_frame` */
export async function readJson(context: Context<Env>): Promise<unknown> {
  if (!isJson(context)) throw badRequest('its Content-Type is not application/json');
  const text = await context.req.text();
  if (isTooDeep(text, limits.jsonDepth)) throw badRequest('it is nested too deeply');
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('it is not JSON');
  }
}

export function badRequest(problem: string): RefusalError {
  return new RefusalError('bad_frame', { message: `This is no request that Parley knows: ${problem}.` });
}
