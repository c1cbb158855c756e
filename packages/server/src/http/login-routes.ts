import { isRecord, RefusalError } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import * as z from 'zod';
import type { Admission, Auth, LoginOrigin, LoginTimes } from '../auth/auth.ts';
import type { QuotaService } from '../auth/quota-service.ts';
import type { Metrics } from '../extensions/telemetry/metrics.ts';
import { endOwnLogins, endSchema, listOwnLogins } from './logins.ts';
import { describe, json, nothing } from './operation.ts';
import { isJson } from './refusal.ts';
import { type Authentication, addressOf, authorise, cookiesOf, type Env, limitBody } from './request.ts';

/** What it takes to log a browser in. */
export interface LoginDoor extends Pick<Authentication, 'auth' | 'cookieName'> {
  readonly quotas: QuotaService;
  readonly metrics: Metrics;
  /** TLS ends in a proxy before this server: cookies are sent over TLS only. */
  readonly isSecure: boolean;
}

export type LoginOptions = LoginDoor & Authentication;

/** Credentials that a login presents. */
const shownSchema = z.object({ token: z.string().default(''), code: z.string().optional() });

const ownLoginSchema = z.object({
  id: z.string(),
  createdAt: z.string().optional(),
  expiresAt: z.string(),
  provedAt: z.string().optional(),
  userAgent: z.string().optional(),
  address: z.string().optional(),
  isCurrent: z.literal(true).optional(),
});

const listSchema = z.object({
  logins: z.array(ownLoginSchema),
  /** Set if nobody needs to log in (`--no-auth`). */
  admitsEverybody: z.literal(true).optional(),
});

/** Adds the routes to log in and out and to manage one's own logins. */
export function addLoginRoutes(app: Hono<Env>, options: LoginOptions): void {
  const group = 'Log-ins';
  const aboutLogin = describe({
    ...{ group, summary: 'Exchanges a token, or the one-time code of the printed address, for a cookie.' },
    ...{ isOpen: true, body: shownSchema, example: { code: 'as printed' }, responses: nothing },
  });
  app.post('/api/login', aboutLogin, limitBody, (context) => login(context, options));

  const aboutLoginAgain = describe({
    summary: 'Presents the token of this log-in again, for the riskiest actions.',
    ...{ group, body: shownSchema, example: { token: 'parley_…' }, responses: nothing },
  });
  app.post('/api/login/again', aboutLoginAgain, limitBody, (context) => loginAgain(context, options));

  const aboutLogout = describe({ group, summary: 'Ends the log-in of the cookie.', isOpen: true, responses: nothing });
  app.post('/api/logout', aboutLogout, (context) => logout(context, options));

  const aboutLogins = describe({
    ...{ group, summary: 'The log-ins that were made with one’s own token.' },
    responses: { 200: json('Oldest first.', listSchema, { logins: [] }) },
  });
  app.get('/api/logins', aboutLogins, async (context) => {
    const person = await admitPerson(context, options);
    const { auth } = options;
    return context.json({ logins: await listOwnLogins(auth, person), ...(auth.isOpen && { admitsEverybody: true }) });
  });

  const aboutEnd = describe({
    summary: 'Ends one of these, or all but the current one.',
    ...{ group, body: endSchema, example: { others: true }, responses: nothing },
  });
  app.post('/api/logins/end', aboutEnd, limitBody, async (context) => {
    const person = await admitPerson(context, options);
    if (!isJson(context)) throw new RefusalError('bad_frame');
    await endOwnLogins(options.auth, person, await context.req.json().catch(() => undefined));
    return context.body(null, 204);
  });
}

/**
 * Authenticates a request of a person; askers have no logins (ASK2).
 * @throws RefusalError `unauthorised`, `forbidden`
 */
async function admitPerson(context: Context<Env>, door: Authentication): Promise<Admission> {
  const admission = await authorise(context, door);
  if (!admission) throw new RefusalError('unauthorised');
  if (admission.principal.role === 'asker') throw new RefusalError('forbidden');
  return admission;
}

async function login(context: Context<Env>, options: LoginOptions): Promise<Response> {
  const { auth } = options;
  if (await isSecondTab(context, options)) return context.body(null, 204);
  const shown = await checkShown(context, auth);
  if (shown.principal.role === 'asker') throw new RefusalError('forbidden'); // a page could not answer (ASK2)
  if (auth.isOpen) return context.body(null, 204); // no cookie, which would stay valid once a token is required again
  await keepLogin(context, options, shown);
  return context.body(null, 204);
}

/**
 * Logs the browser in: gives it the cookie of a new log-in, and ends the oldest beyond the limit.
 * @param times - as in `Auth.login`
 * @throws RefusalError `rate_limited`
 */
export async function keepLogin(
  context: Context<Env>,
  { auth, cookieName, isSecure, quotas, metrics }: LoginDoor,
  holder: Admission,
  times?: LoginTimes,
): Promise<void> {
  quotas.spend(holder.principal, ['loginsPerHour', 1]);
  const { cookie, expires } = await auth.login(holder, originOf(context), times);
  const { logins: most } = quotas.limitsOf(holder.principal);
  if (most !== undefined && (await auth.trimLogins(holder, most)) > 0) metrics.reached('logins');
  setCookie(context, cookieName(), cookie, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    secure: isSecure,
    expires,
  });
}

/** Whether an address with a code is opened once more in a browser that it logged in: the code is used up, but is not a guess. */
async function isSecondTab(context: Context<Env>, options: LoginOptions): Promise<boolean> {
  const body: unknown = await context.req.json().catch(() => undefined);
  const code = isRecord(body) ? body.code : undefined;
  if (typeof code !== 'string' || (await options.auth.holdsCode(code))) return false;
  const known = await options.auth.checkCookies(cookiesOf(context, options.cookieName()));
  return known !== undefined;
}

/** Lets a login present its token again, after which it may take the riskiest actions for a while (SEC9). */
async function loginAgain(context: Context<Env>, options: LoginOptions): Promise<Response> {
  const { auth, quotas } = options;
  const { principal, credential } = await admitPerson(context, options);
  const shown = await checkShown(context, auth);
  if (shown.principal.id !== principal.id)
    throw new RefusalError('forbidden', { message: 'This token is not the one of this log-in.' });
  quotas.spend(principal, ['loginsPerHour', 1]);
  if (!(await auth.proveLogin(credential))) throw new RefusalError('unauthorised');
  return context.body(null, 204);
}

/** Checks the token or code of a request. @throws RefusalError `bad_frame`, `unauthorised`, `rate_limited` */
async function checkShown(context: Context<Env>, auth: Auth): Promise<Admission> {
  if (!isJson(context)) throw new RefusalError('bad_frame');
  const body: unknown = await context.req.json().catch(() => undefined); // without JSON there is no token
  const parsed = shownSchema.safeParse(isRecord(body) ? body : {});
  if (!parsed.success) throw new RefusalError('bad_frame');
  const { code, token } = parsed.data;
  const address = addressOf(context);
  const admission = await (code === undefined
    ? auth.checkToken(token, 'login', address)
    : auth.takeCode(code, address));
  if (!admission) throw new RefusalError('unauthorised');
  return admission;
}

/** Maximum length in characters, because it is stored with the login. */
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
