import type { HttpBindings } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { isRecord, limits, RefusalError, StoreError, type wireErrors } from '@parleyhq/core';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { Logger } from 'pino';
import type { Admission, Auth, LoginOrigin } from '../auth/auth.ts';
import type { Metrics } from '../log/metrics.ts';
import { type CallRoutes, serveCalls } from './calls.ts';
import { contentPolicy } from './content-policy.ts';
import { readCookies } from './cookies.ts';
import { endOwnLogins, listOwnLogins } from './logins.ts';
import { type McpRoutes, serveMcp } from './mcp.ts';
import { classifyOrigin, explainRefusal, type OriginPolicy, readOriginHeaders } from './origin.ts';
import { isJson, refuse, refuseFor } from './refusal.ts';

export interface HttpOptions {
  readonly auth: Auth;
  readonly metrics: Metrics;
  readonly origins: () => OriginPolicy;
  /** The built web client's folder, if there is one. */
  readonly assetsDir: string | undefined;
  /** Why it does not serve, if so. */
  readonly findFault: () => Promise<Fault | undefined>;
  /** The cookie's name: see `nameCookie`. */
  readonly cookieName: () => string;
  /** TLS ends before us: cookies are for it alone. */
  readonly isSecure: boolean;
  /** Proves that this is the server of its data directory: see `proveIdentity`. */
  readonly prove: (nonce: string) => string | undefined;
  readonly log: Logger;
  readonly outside: Omit<CallRoutes & McpRoutes, 'admit' | 'limitBody' | 'onError'>;
}

/** It starts or stops, or nothing can be stored. */
type Fault = 'stopped' | keyof typeof wireErrors;

type Env = { Bindings: HttpBindings };

/** Everything that is not the socket: health, metrics, log-in and the page. */
export function makeHttp(options: HttpOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(secureHeaders, guard(options));
  app.get('/healthz', (context) => context.json({ ok: true }));
  app.get('/readyz', async (context) => {
    const code = await options.findFault();
    return context.json({ ready: code === undefined, code }, code === undefined ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    const admission = await authorise(context, options);
    if (!admission) return refuse(context, 401, 'unauthorised');
    if (admission.principal.sessions) return refuse(context, 403, 'forbidden'); // they count what happens in all sessions
    context.header('Content-Type', options.metrics.registry.contentType);
    return context.body(await options.metrics.registry.metrics());
  });
  app.get('/api/identity', (context) => {
    const proof = options.prove(context.req.query('nonce') ?? '');
    return proof === undefined ? refuse(context, 404, 'not_found') : context.json({ proof });
  });
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
  const outside = {
    ...options.outside,
    admit: (context: Context<Env>, as: 'program' | 'person') => admit(context, as, options),
    limitBody: limitCall,
    onError: (error: Error) => options.log.debug({ error }, 'a request of MCP was refused'),
  };
  serveCalls(app, outside);
  serveMcp(app, outside);
  if (options.assetsDir !== undefined) servePage(app, options.assetsDir);
  app.notFound((context) => refuse(context, 404, 'not_found'));
  app.onError((error, context) => {
    if (!(error instanceof RefusalError || error instanceof StoreError))
      options.log.error({ error, path: context.req.path }, 'a request could not be handled');
    return refuseFor(context, error);
  });
  return app;
}

const limitCall = bodyLimit({
  maxSize: limits.frameBytes,
  onError: (context) => refuse(context, 413, 'bad_frame', `A call has at most ${limits.frameBytes} bytes.`),
});

const limitBody = bodyLimit({ maxSize: 4096, onError: (context) => refuse(context, 413, 'bad_frame') });

/** Host and Origin of every request, whatever its route (SEC3). */
function guard({ origins }: HttpOptions): MiddlewareHandler<Env> {
  return async (context, next) => {
    const headers = readOriginHeaders(context.env.incoming);
    if (classifyOrigin(origins(), headers) === 'refused') {
      return refuse(context, 403, 'forbidden', explainRefusal(origins(), headers));
    }
    await next();
  };
}

const secureHeaders: MiddlewareHandler<Env> = async (context, next) => {
  await next();
  context.header('Content-Security-Policy', contentPolicy);
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('X-Frame-Options', 'DENY');
  context.header('Referrer-Policy', 'no-referrer');
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('Cross-Origin-Resource-Policy', 'same-origin');
};

/** A bearer token, or the cookie of a browser on our own page; a program's cookie counts for nothing (SEC3). */
async function authorise(context: Context<Env>, { auth, cookieName }: HttpOptions): Promise<Admission | undefined> {
  const bearer = readBearer(context.req.header('authorization'));
  if (bearer !== undefined || auth.isOpen) return auth.checkToken(bearer, 'bearer', addressOf(context));
  const isOwnPage =
    context.req.header('origin') !== undefined || context.req.header('sec-fetch-site') === 'same-origin';
  return isOwnPage ? auth.checkCookies(cookiesOf(context, cookieName())) : undefined;
}

/** Where everybody is let in, a program outside still only asks: as the asker `local`, never as the owner (ASK2). */
function admit(context: Context<Env>, as: 'program' | 'person', options: HttpOptions): Promise<Admission | undefined> {
  const isLocal = options.auth.isOpen && as === 'program';
  return isLocal ? options.auth.admitLocal() : authorise(context, options);
}

function cookiesOf(context: Context<Env>, name: string): readonly string[] {
  return readCookies(context.req.header('cookie'), name);
}

function addressOf(context: Context<Env>): string {
  return context.env.incoming.socket.remoteAddress ?? '';
}

export function readBearer(header: string | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(header ?? '')?.[1];
}

async function login(context: Context<Env>, { auth, cookieName, isSecure }: HttpOptions): Promise<Response> {
  if (!isJson(context)) return refuse(context, 400, 'bad_frame');
  const body: unknown = await context.req.json().catch(() => undefined); // what is no JSON names no token
  const { code, token = '' } = isRecord(body) ? body : {};
  if (typeof (code ?? token) !== 'string') return refuse(context, 400, 'bad_frame');
  const address = addressOf(context);
  const admission = await (code === undefined
    ? auth.checkToken(String(token), 'login', address)
    : auth.takeCode(String(code), address));
  if (!admission) return refuse(context, 401, 'unauthorised');
  if (admission.principal.role === 'asker') return refuse(context, 403, 'forbidden'); // a page could not answer (ASK2)
  if (auth.isOpen) return context.body(null, 204); // nothing that would open the door when it is shut again
  const { cookie, expires } = await auth.login(admission, originOf(context));
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

async function logout(context: Context<Env>, { auth, cookieName, isSecure }: HttpOptions): Promise<Response> {
  await auth.logout(cookiesOf(context, cookieName()));
  deleteCookie(context, cookieName(), { path: '/', secure: isSecure });
  return context.body(null, 204);
}

function servePage(app: Hono<Env>, assetsDir: string): void {
  app.get(
    '/assets/*',
    serveStatic({
      root: assetsDir,
      onFound: (_, context) => context.header('Cache-Control', 'public, max-age=31536000, immutable'),
    }),
  );
  const page = serveStatic({ root: assetsDir, rewriteRequestPath: () => '/index.html' });
  app.get('/', page);
  app.get('/s/*', page);
  app.get('/*', serveStatic({ root: assetsDir }));
}
