import { isRecord, ownerId } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import * as z from 'zod';
import type { Admission, Auth, LoginOrigin } from '../auth/auth.ts';
import type { QuotaBook } from '../auth/quota-book.ts';
import type { Metrics } from '../log/metrics.ts';
import { endOwnLogins, listOwnLogins } from './logins.ts';
import { isJson, refuse } from './refusal.ts';
import { addressOf, authorise, cookiesOf, type Door, type Env, limitBody } from './request.ts';

export interface LoginOptions extends Door {
  readonly quotas: QuotaBook;
  readonly metrics: Metrics;
  /** TLS ends before us: cookies are for it alone. */
  readonly isSecure: boolean;
}

/** What a log-in shows. */
export const shownSchema = z.object({ token: z.string().default(''), code: z.string().optional() });

/** Logging in and out, and one's own log-ins. */
export function addLoginRoutes(app: Hono<Env>, options: LoginOptions): void {
  app.post('/api/login', limitBody, (context) => login(context, options));
  app.post('/api/login/again', limitBody, (context) => loginAgain(context, options));
  app.post('/api/logout', (context) => logout(context, options));
  app.get('/api/logins', async (context) => {
    const admission = await admitPerson(context, options);
    return admission instanceof Response
      ? admission
      : context.json({ logins: await listOwnLogins(options.auth, admission) });
  });
  app.post('/api/logins/end', limitBody, async (context) => {
    const admission = await admitPerson(context, options);
    if (admission instanceof Response) return admission;
    if (!isJson(context)) return refuse(context, 400, 'bad_frame');
    const result = await endOwnLogins(options.auth, admission, await context.req.json().catch(() => undefined));
    if (result === 'ended') return context.body(null, 204);
    return refuse(context, result === 'not_found' ? 404 : 400, result);
  });
}

/** Whom a request lets in, if it is a person: an asker has no log-ins (ASK2). */
async function admitPerson(context: Context<Env>, door: Door): Promise<Admission | Response> {
  const admission = await authorise(context, door);
  if (!admission) return refuse(context, 401, 'unauthorised');
  return admission.principal.role === 'asker' ? refuse(context, 403, 'forbidden') : admission;
}

async function login(context: Context<Env>, options: LoginOptions): Promise<Response> {
  const { auth, cookieName, isSecure, quotas, metrics } = options;
  if (await isSecondTab(context, options)) return context.body(null, 204);
  const shown = await checkShown(context, auth);
  if (typeof shown === 'string') return refuse(context, shown === 'bad_frame' ? 400 : 401, shown);
  if (shown.principal.role === 'asker') return refuse(context, 403, 'forbidden'); // a page could not answer (ASK2)
  if (auth.isOpen) return context.body(null, 204); // nothing that would open the door when it is shut again
  const { principal } = shown;
  quotas.spend(principal, ['loginsPerHour', 1]);
  const { cookie, expires } = await auth.login(shown, originOf(context));
  const { logins: most } = quotas.limitsOf(principal);
  if (most !== undefined && (await auth.trimLogins(shown.credential, most)) > 0) metrics.reached('logins');
  setCookie(context, cookieName(), cookie, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    secure: isSecure,
    expires,
  });
  return context.body(null, 204);
}

/** The printed address is opened once more in the browser that it logged in: its code is used, and nobody guesses. */
async function isSecondTab(context: Context<Env>, options: LoginOptions): Promise<boolean> {
  const body: unknown = await context.req.json().catch(() => undefined);
  const code = isRecord(body) ? body.code : undefined;
  if (typeof code !== 'string' || (await options.auth.holdsCode(code))) return false;
  const known = await options.auth.checkCookies(cookiesOf(context, options.cookieName()));
  return known?.principal.id === ownerId;
}

/** A log-in shows its token again: until it is old, it may do the riskiest acts (SEC9). */
async function loginAgain(context: Context<Env>, options: LoginOptions): Promise<Response> {
  const { auth, quotas } = options;
  const admission = await admitPerson(context, options);
  if (admission instanceof Response) return admission;
  const shown = await checkShown(context, auth);
  if (typeof shown === 'string') return refuse(context, shown === 'bad_frame' ? 400 : 401, shown);
  const { id } = admission.principal;
  if (shown.principal.id !== id) return refuse(context, 403, 'forbidden', 'This token is not the one of this log-in.');
  quotas.spend(admission.principal, ['loginsPerHour', 1]);
  if (!(await auth.proveLogin(admission.credential))) return refuse(context, 401, 'unauthorised');
  return context.body(null, 204);
}

/** Whom the token or the code of a request lets in, or why nobody. */
async function checkShown(context: Context<Env>, auth: Auth): Promise<Admission | 'bad_frame' | 'unauthorised'> {
  if (!isJson(context)) return 'bad_frame';
  const body: unknown = await context.req.json().catch(() => undefined); // what is no JSON names no token
  const parsed = shownSchema.safeParse(isRecord(body) ? body : {});
  if (!parsed.success) return 'bad_frame';
  const { code, token } = parsed.data;
  const address = addressOf(context);
  const admission = await (code === undefined
    ? auth.checkToken(token, 'login', address)
    : auth.takeCode(code, address));
  return admission ?? 'unauthorised';
}

/** In characters: it is kept as long as the login. */
const maxAgentLength = 200;

function originOf(context: Context<Env>): LoginOrigin {
  const userAgent = context.req.header('user-agent')?.slice(0, maxAgentLength);
  return { address: addressOf(context), ...(userAgent !== undefined && { userAgent }) };
}

async function logout(context: Context<Env>, { auth, cookieName, isSecure }: LoginOptions): Promise<Response> {
  await auth.logout(cookiesOf(context, cookieName()));
  deleteCookie(context, cookieName(), { path: '/', secure: isSecure });
  return context.body(null, 204);
}
