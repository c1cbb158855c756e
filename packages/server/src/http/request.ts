import type { HttpBindings } from '@hono/node-server';
import type { ViewApp } from '@parleyhq/core';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Admission, Auth } from '../auth/auth.ts';
import { type Authenticate, admitEmbedded } from '../auth/embedder.ts';
import { readCookies } from './cookies.ts';
import { refuse } from './refusal.ts';

export type Env = {
  Bindings: HttpBindings;
  Variables: {
    /** Set if the response is a plugin's. */
    isFromPlugin?: true;
    /** Set if the response is the page of an MCP server. */
    app?: ViewApp;
  };
};

/** What a route needs to authenticate a request. */
export interface Authentication {
  readonly auth: Auth;
  readonly authenticate: Authenticate | undefined;
  /** The cookie's name: see `nameCookie`. */
  readonly cookieName: () => string;
}

export const limitBody = bodyLimit({ maxSize: 4096, onError: (context) => refuse(context, 413, 'bad_frame') });

/**
 * Authenticates a request by the embedding application, a bearer token, or the cookie of a browser on our own page; a program's
 * cookie is ignored (SEC3).
 */
export async function authorise(
  context: Context<Env>,
  { auth, authenticate, cookieName }: Authentication,
): Promise<Admission | undefined> {
  const isOwnPage =
    context.req.header('origin') !== undefined || context.req.header('sec-fetch-site') === 'same-origin';
  const known = await admitEmbedded(authenticate, context.env.incoming, { isOwnPage, auth });
  if (known) return known;
  const bearer = readBearer(context.req.header('authorization'));
  if (bearer !== undefined || auth.isOpen) return auth.checkToken(bearer, 'bearer', addressOf(context));
  return isOwnPage ? auth.checkCookies(cookiesOf(context, cookieName())) : undefined;
}

export function cookiesOf(context: Context<Env>, name: string): readonly string[] {
  return readCookies(context.req.header('cookie'), name);
}

export function addressOf(context: Context<Env>): string {
  return context.env.incoming.socket.remoteAddress ?? '';
}

export function readBearer(header: string | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(header ?? '')?.[1];
}
