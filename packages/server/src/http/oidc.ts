import { RefusalError, StoreError } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Auth } from '../auth/auth.ts';
import type { Oidc } from '../auth/oidc/oidc.ts';
import { BusyError, ProviderError, principalOf } from '../auth/oidc/oidc-settings.ts';
import { ReturnGate } from '../auth/oidc/return-gate.ts';
import type { Ticket, Tickets } from '../auth/ticket.ts';
import { keepLogin, type LoginDoor } from './login-routes.ts';
import { type FlowOptions, forgetFlow, keepFlow, readFlow } from './oidc-flows.ts';
import { describe, json } from './operation.ts';
import { type OriginPolicy, originOf } from './origin.ts';
import { cookiesOf, type Env } from './request.ts';

export interface OidcRoutes extends LoginDoor {
  readonly auth: Auth;
  readonly tickets: Tickets;
  readonly oidc: Oidc | undefined;
  readonly origins: () => OriginPolicy;
  /** Path below which the server is mounted on another, without a slash at its end. */
  readonly mountPath: () => string;
  readonly now: () => number;
  readonly log: Logger;
}

const beginPath = '/api/login/oidc';
const returnPath = `${beginPath}/return`;

/** In characters, because a path to come back to is kept in a cookie. */
const longestPath = 1000;

/** A log-in there lasts half a day: a role follows its claims only when somebody logs in. */
const defaultLoginMs = 12 * 3_600_000;

/** Why nobody was logged in; the page has the words. */
type Fault = 'failed' | 'busy' | 'no_role' | 'other_person';

/** Serves log-in with OpenID Connect: to the provider and back (SIGN1). */
export function serveOidc(app: Hono<Env>, routes: OidcRoutes): void {
  const group = 'Log-ins';
  const gate = new ReturnGate(routes.now);
  const aboutWays = describe({
    ...{ group, summary: 'The ways to log in besides a token.', isOpen: true },
    responses: {
      200: json('None: an empty object.', z.object({ oidc: z.object({ name: z.string() }).optional() }), {}),
    },
  });
  app.get('/api/login/ways', aboutWays, (context) => {
    const { settings } = routes.oidc ?? {};
    return context.json(settings ? { oidc: { name: settings.name ?? new URL(settings.issuer).host } } : {});
  });

  const wayBack = { 303: { description: 'Back to the page, which says why nobody was logged in, if so.' } };
  const aboutBegin = describe({
    ...{
      group,
      summary: 'Sends a browser to the provider; `again` makes it ask who is there once more.',
      isOpen: true,
    },
    query: z.object({ to: z.string().optional(), again: z.string().optional() }),
    responses: { 302: { description: 'To the provider.' }, ...wayBack },
  });
  app.get(beginPath, aboutBegin, async (context) => {
    const oidc = requireOidc(routes);
    const isAgain = context.req.query('again') !== undefined;
    const to = localPath(context.req.query('to'));
    // whoever follows a link on another site may be logged in here as somebody else, which only our page finds out
    const isElsewhere = context.req.header('sec-fetch-site') === 'cross-site';
    if (routes.auth.isOpen || isElsewhere) return goBack(context, routes, { to });
    try {
      const again = isAgain ? await findSelf(context, routes) : undefined;
      if (isAgain && !again) return goBack(context, routes, { to, fault: 'failed', reason: 'nobody is logged in' });
      const { url, flow } = await (await oidc.provider()).begin(returnAddress(context, routes), isAgain);
      keepFlow(context, flowsOf(routes), { ...flow, to, ...(again && { again }) });
      return context.redirect(url.href, 302);
    } catch (error) {
      return goBack(context, routes, { to, ...explain(error) });
    }
  });

  const aboutReturn = describe({
    ...{ group, summary: 'Where the provider sends the browser back: logs it in.', isOpen: true },
    responses: wayBack,
  });
  app.get(returnPath, aboutReturn, async (context) => {
    requireOidc(routes);
    const flows = flowsOf(routes);
    const flow = readFlow(context, flows, context.req.query('state'));
    if (!flow)
      return goBack(context, routes, { to: '/', fault: 'failed', reason: 'sent away elsewhere, or too long ago' });
    if (routes.auth.isOpen) return goBack(context, routes, flow); // a cookie would be valid once a token is required again
    const outcome = await gate.pass(flow, () => logIn(context, routes, flow)).catch(explain);
    if (outcome?.fault !== 'busy') forgetFlow(context, flows, flow);
    return goBack(context, routes, { to: flow.to, ...outcome });
  });
}

/** Why nobody was logged in: for the page, and for the log. */
interface Outcome {
  readonly fault: Fault;
  readonly reason?: string;
}

/** Logs the browser in; or, if it is to show again who is there, notes that. Returns why not. @throws ProviderError */
async function logIn(context: Context<Env>, routes: OidcRoutes, flow: Ticket<'oidc'>): Promise<Outcome | undefined> {
  const { provider, people, settings } = requireOidc(routes);
  const { again } = flow;
  const url = new URL(returnAddress(context, routes));
  url.search = new URL(context.req.url).search;
  const { claims, provedAt } = await (await provider()).finish(url, flow, again !== undefined);
  if (again && principalOf(claims) !== again.principal) return { fault: 'other_person' };
  const person = await people.admit(claims);
  if (!person) {
    routes.log.warn({ claims: Object.keys(claims) }, 'no claim gives this person a role');
    return { fault: 'no_role' };
  }
  if (again)
    return (await routes.auth.proveLogin(again)) ? undefined : { fault: 'failed', reason: 'the log-in has ended' };
  const admission = { principal: person, credential: { tokenId: person.id } };
  await keepLogin(context, routes, admission, { lastsMs: settings.loginMs ?? defaultLoginMs, provedAt });
  return undefined;
}

/** Explains an error after which people can only try again, and rethrows any other: a refusal would take the place of the page. */
function explain(error: unknown): Outcome {
  if (error instanceof BusyError) return { fault: 'busy', reason: error.message };
  if (error instanceof ProviderError || error instanceof RefusalError || error instanceof StoreError)
    return { fault: 'failed', reason: error.message };
  throw error;
}

/**
 * Finds who shows again who they are: a link on our own page led here. The way back comes from the provider's site, so browsers
 * leave out the cookie of the log-in there.
 */
async function findSelf(context: Context<Env>, { auth, cookieName }: OidcRoutes): Promise<Ticket<'oidc'>['again']> {
  const known = await auth.checkCookies(cookiesOf(context, cookieName()));
  const loginHash = known?.credential.loginHash;
  return known && loginHash !== undefined ? { principal: known.principal.id, loginHash } : undefined;
}

/** Sends the browser to our page, or to the page of the application on which the server is mounted; after the `#` are only words that the page knows. */
function goBack(
  context: Context<Env>,
  { log }: OidcRoutes,
  { to, fault, reason }: { readonly to: string } & Partial<Outcome>,
): Response {
  if (reason !== undefined) log.warn({ error: reason }, 'somebody could not be logged in');
  return context.redirect(fault === undefined ? to : `/#login=${fault}`, 303);
}

function requireOidc({ oidc }: OidcRoutes): Oidc {
  if (!oidc) throw new RefusalError('not_found');
  return oidc;
}

/** Returns the address to come back to, on the host that the browser uses: there it has its cookies. */
function returnAddress(context: Context<Env>, { origins, mountPath }: OidcRoutes): string {
  const host = context.req.header('host')?.toLowerCase() ?? '';
  return `${originOf(origins(), host)}${mountPath()}${returnPath}`;
}

function flowsOf(routes: OidcRoutes): FlowOptions {
  return { ...routes, path: `${routes.mountPath()}${beginPath}` };
}

/** Returns a path of this page, such as that of a session or of one of its prompts; nobody may be sent elsewhere. */
function localPath(to = '/'): string {
  const isOurs = to.length <= longestPath && /^\/(s\/[^/?#\\]+(\/[^/?#\\]+)?|inbox)?$/.test(to);
  const isPlain = isOurs && new URL(to, 'http://page').pathname === to; // without dots that lead elsewhere
  return isPlain ? to : '/';
}
