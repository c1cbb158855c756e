import { RefusalError, StoreError } from '@parleyhq/core';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { Admission } from '../auth/auth.ts';
import type { AttachedCalls } from '../extensions/programs/attached-calls.ts';
import { callbackPath } from '../extensions/programs/callback-addresses.ts';
import { type AnswerRoutes, serveAnswers } from './answers.ts';
import { type CallbackRoutes, serveCallbacks } from './callbacks.ts';
import { type CallRoutes, serveCalls } from './calls.ts';
import { serveClaudeHooks } from './claude-hooks.ts';
import { type FileRoutes, filePath, serveFiles } from './files.ts';
import type { Entry } from './frame-request.ts';
import { type FrameRoutes, serveFrames } from './frames.ts';
import { type HealthRoutes, serveHealth } from './health.ts';
import { addLoginRoutes, type LoginOptions } from './login-routes.ts';
import { type McpRoutes, serveMcp } from './mcp/mcp-routes.ts';
import { type OnceRoutes, serveOnce } from './once.ts';
import type { OneTimeAccess } from './one-time-access.ts';
import { serveDescription } from './openapi.ts';
import { classifyOrigin, explainRefusal, type OriginPolicy, readOriginHeaders } from './origin.ts';
import { explainAbsence, servePage } from './page.ts';
import { type PushRoutes, servePush } from './push.ts';
import { refuse, refuseFor } from './refusal.ts';
import { authorise, type Env } from './request.ts';
import { serveReturns } from './returns.ts';
import { makeFileHeaders, makeSafeHeaders, makeViewHeaders } from './safe-headers.ts';
import { serveViews } from './views.ts';

export interface HttpOptions extends LoginOptions, HealthRoutes {
  readonly origins: () => OriginPolicy;
  readonly frameAncestors?: readonly string[] | undefined;
  /** Folder of the built web client, if there is one. */
  readonly assetsDir: string | undefined;
  readonly version: string;
  readonly log: Logger;
  /** Called once the socket of a request is authenticated (SEC11). */
  readonly onAdmitted: Entry['onAdmitted'];
  readonly calls: Omit<CallRoutes, keyof Entry>;
  readonly answers: Omit<AnswerRoutes, keyof Entry>;
  readonly files: Omit<FileRoutes, keyof Entry | 'door'>;
  readonly callbacks: Omit<CallbackRoutes, keyof Entry>;
  readonly attachedCalls: AttachedCalls;
  readonly push: Omit<PushRoutes, keyof Entry>;
  readonly once: Omit<OnceRoutes, 'door'>;
  readonly door: Omit<OneTimeAccess, 'pace' | 'findLogin'>;
  readonly connections: FrameRoutes['connections'];
  readonly views: Parameters<typeof serveViews>[1];
  readonly mcp: Omit<McpRoutes, keyof Entry | 'version' | 'onError'>;
}

/** Creates the HTTP routes: health, metrics, login, API and page. */
export function makeHttp(options: HttpOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(secureHeaders(options), guard(options));
  serveHealth(app, options);
  serveDescription(app, options.version);
  addLoginRoutes(app, options);
  const entry: Entry = {
    onAdmitted: options.onAdmitted,
    admit: (context, as) => admit(context, as, options),
    pace: (principal, count) => options.quotas.pace(principal, count),
  };
  const door: OneTimeAccess = {
    ...options.door,
    pace: entry.pace,
    findLogin: (context) => findLogin(context, options),
  };
  serveFrames(app, { ...entry, connections: options.connections });
  serveCalls(app, { ...options.calls, ...entry });
  serveCallbacks(app, { ...options.callbacks, ...entry });
  serveReturns(app, { ...options.callbacks, ...entry });
  serveAnswers(app, { ...options.answers, ...entry });
  serveFiles(app, { ...options.files, ...entry, door });
  servePush(app, { ...options.push, ...entry });
  serveOnce(app, { ...options.once, door });
  serveClaudeHooks(app, { ...options.calls, ...entry, attachedCalls: options.attachedCalls });
  const onError = (error: Error) => options.log.debug({ error }, 'a request of MCP was refused');
  serveMcp(app, { ...options.mcp, ...entry, version: options.version, onError });
  serveViews(app, options.views);
  const page = options.assetsDir === undefined ? undefined : servePage(app, options.assetsDir);
  app.notFound((context) => explainAbsence(context, page));
  app.onError((error, context) => {
    if (!(error instanceof RefusalError || error instanceof StoreError))
      options.log.error({ error, path: clearPath(context.req.path) }, 'a request could not be handled');
    return refuseFor(context, error);
  });
  return app;
}

/** Returns a path that may be logged: whoever knows a callback's address may call it. */
function clearPath(path: string): string {
  return path.startsWith(callbackPath) ? callbackPath : path;
}

/** Checks Host and Origin of every request, whatever its route (SEC3). */
function guard({ origins }: HttpOptions): MiddlewareHandler<Env> {
  return async (context, next) => {
    const headers = readOriginHeaders(context.env.incoming);
    if (classifyOrigin(origins(), headers) === 'refused') {
      return refuse(context, 403, 'forbidden', explainRefusal(origins(), headers));
    }
    await next();
  };
}

function secureHeaders({ frameAncestors }: HttpOptions): MiddlewareHandler<Env> {
  const own = Object.entries(makeSafeHeaders(frameAncestors));
  const ofViews = Object.entries(makeViewHeaders(frameAncestors));
  const ofFiles = Object.entries(makeFileHeaders());
  return async (context, next) => {
    await next();
    const { path } = context.req;
    const headers = filePath.test(path) ? ofFiles : path.startsWith('/views/') && context.res.ok ? ofViews : own;
    for (const [name, value] of headers) context.header(name, value);
  };
}

/**
 * Authenticates a request. If everybody is admitted, an external program is still only the asker `local`, never the owner (ASK2).
 */
function admit(context: Context<Env>, as: 'program' | 'person', options: HttpOptions): Promise<Admission | undefined> {
  const isLocal = options.auth.isOpen && as === 'program';
  return isLocal ? options.auth.admitLocal() : authorise(context, options);
}

/** Finds who is logged in; undefined if no login is required. */
async function findLogin(context: Context<Env>, options: HttpOptions): Promise<Admission | undefined> {
  return options.auth.isOpen ? undefined : authorise(context, options);
}
