import { isRecord } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { LoginOrigin } from '../auth/auth.ts';
import type { QuotaBook } from '../auth/quota-book.ts';
import type { Metrics } from '../log/metrics.ts';
import { endOwnLogins, listOwnLogins } from './logins.ts';
import { addressOf, authorise, cookiesOf, type Door, type Env, isJson, limitBody, refuse } from './request.ts';

export interface LoginOptions extends Door {
  readonly quotas: QuotaBook;
  readonly metrics: Metrics;
  /** TLS ends before us: cookies are for it alone. */
  readonly isSecure: boolean;
}

/** Logging in and out, and one's own log-ins. */
export function addLoginRoutes(app: Hono<Env>, options: LoginOptions): void {
  app.post('/api/login', limitBody, (context) => login(context, options));
  app.post('/api/logout', (context) => logout(context, options));
  app.get('/api/logins', async (context) => {
    const admission = await authorise(context, options);
    if (!admission) return refuse(context, 401, 'unauthorised');
    return context.json({ logins: await listOwnLogins(options.auth, admission) });
  });
  app.post('/api/logins/end', limitBody, async (context) => {
    const admission = await authorise(context, options);
    if (!admission) return refuse(context, 401, 'unauthorised');
    if (!isJson(context)) return refuse(context, 400, 'bad_frame');
    const result = await endOwnLogins(options.auth, admission, await context.req.json().catch(() => undefined));
    if (result === 'ended') return context.body(null, 204);
    return refuse(context, result === 'not_found' ? 404 : 400, result);
  });
}

async function login(
  context: Context<Env>,
  { auth, cookieName, isSecure, quotas, metrics }: LoginOptions,
): Promise<Response> {
  if (!isJson(context)) return refuse(context, 400, 'bad_frame');
  const body: unknown = await context.req.json().catch(() => undefined); // what is no JSON names no token
  const { code, token = '' } = isRecord(body) ? body : {};
  if (typeof (code ?? token) !== 'string') return refuse(context, 400, 'bad_frame');
  const address = addressOf(context);
  const admission = await (code === undefined
    ? auth.checkToken(String(token), 'login', address)
    : auth.takeCode(String(code), address));
  if (!admission) return refuse(context, 401, 'unauthorised');
  if (auth.isOpen) return context.body(null, 204); // nothing that would open the door when it is shut again
  const { principal } = admission;
  quotas.spend(principal, 'loginsPerHour');
  const { cookie, expires } = await auth.login(admission, originOf(context));
  const { logins: most } = quotas.limitsOf(principal);
  if (most !== undefined && (await auth.trimLogins(principal, most)) > 0) metrics.reached('logins');
  setCookie(context, cookieName(), cookie, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    secure: isSecure,
    expires,
  });
  return context.body(null, 204);
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
