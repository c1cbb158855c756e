import { RefusalError, StoreError } from '@parleyhq/core';
import type { ViewRegistry } from '@parleyhq/runtime';
import { Hono, type MiddlewareHandler } from 'hono';
import type { Tickets } from '../auth/ticket.ts';
import { callbackPath } from '../extensions/programs/callback-addresses.ts';
import { type AnswerRoutes, serveAnswers } from './answers.ts';
import { type CallbackRoutes, serveCallbacks } from './callbacks.ts';
import { type CallRoutes, serveCalls } from './calls.ts';
import { type DoorRoutes, serveDoors } from './doors.ts';
import { type FileRoutes, filePath, serveFiles } from './files.ts';
import { type FrameRoutes, serveFrames } from './frames.ts';
import { type HealthRoutes, serveHealth } from './health.ts';
import { type LinkRoutes, serveLinks } from './links.ts';
import { addLoginRoutes, type LoginOptions } from './login-routes.ts';
import { type McpRoutes, serveMcp } from './mcp/mcp-routes.ts';
import { type OidcRoutes, serveOidc } from './oidc.ts';
import { type OnceRoutes, serveOnce } from './once.ts';
import { serveDescription } from './openapi.ts';
import { classifyOrigin, explainRefusal, type OriginPolicy, readOriginHeaders } from './origin.ts';
import { explainAbsence, servePage } from './page.ts';
import { type PasskeyRoutes, servePasskeys } from './passkeys.ts';
import { type PushRoutes, servePush } from './push.ts';
import { type ReceiptRoutes, serveReceipts } from './receipts.ts';
import { refuse, refuseFor } from './refusal.ts';
import type { Env } from './request.ts';
import { serveReturns } from './returns.ts';
import { makeFileHeaders, makeSafeHeaders, makeViewHeaders } from './safe-headers.ts';
import { type StatisticsRoutes, serveStatistics } from './statistics.ts';
import { serveViews } from './views.ts';

/** What the routes need: the needs of each module, which the server fulfils with one value. */
export interface HttpOptions
  extends AnswerRoutes,
    CallbackRoutes,
    CallRoutes,
    DoorRoutes,
    FileRoutes,
    FrameRoutes,
    HealthRoutes,
    LinkRoutes,
    LoginOptions,
    McpRoutes,
    OidcRoutes,
    OnceRoutes,
    PasskeyRoutes,
    PushRoutes,
    ReceiptRoutes,
    StatisticsRoutes {
  readonly tickets: Tickets;
  readonly origins: () => OriginPolicy;
  readonly frameAncestors?: readonly string[] | undefined;
  /** Folder of the built web client, if there is one. */
  readonly assetsDir: string | undefined;
  readonly views: ViewRegistry;
}

/** Creates the HTTP routes: health, metrics, login, API and page. */
export function makeHttp(options: HttpOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(secureHeaders(options), guard(options));
  serveHealth(app, options);
  serveDescription(app, options.version);
  addLoginRoutes(app, options);
  serveOidc(app, options);
  serveFrames(app, options);
  serveCalls(app, options);
  serveCallbacks(app, options);
  serveReturns(app, options);
  serveAnswers(app, options);
  serveFiles(app, options);
  serveReceipts(app, options);
  serveStatistics(app, options);
  servePush(app, options);
  serveLinks(app, options);
  servePasskeys(app, options);
  serveOnce(app, options);
  serveMcp(app, options);
  serveViews(app, options);
  serveDoors(app, options);
  const page =
    options.assetsDir === undefined ? undefined : servePage(app, { ...options, assetsDir: options.assetsDir });
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
      return refuse(context, 403, 'forbidden', explainRefusal(origins(), headers), { topic: 'address-refused' });
    }
    await next();
  };
}

function secureHeaders({ frameAncestors }: HttpOptions): MiddlewareHandler<Env> {
  const own = Object.entries(makeSafeHeaders(frameAncestors));
  const ofFiles = Object.entries(makeFileHeaders());
  return async (context, next) => {
    await next();
    const { path } = context.req;
    const isUntrusted = filePath.test(path) || context.get('isFromPlugin');
    const isView = path.startsWith('/views/') && context.res.ok;
    const ofView = () => Object.entries(makeViewHeaders(frameAncestors, context.get('app')));
    const headers = isUntrusted ? ofFiles : isView ? ofView() : own;
    for (const [name, value] of headers) context.header(name, value);
  };
}
