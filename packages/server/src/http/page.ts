import { serveStatic } from '@hono/node-server/serve-static';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { NotificationService } from '../extensions/notifications/notification-service.ts';
import { returnPath } from '../extensions/programs/callback-addresses.ts';
import { describe, text } from './operation.ts';
import { canLoadPage, explainProxy, type OriginPolicy } from './origin.ts';
import { refuse } from './refusal.ts';
import type { Env } from './request.ts';

export interface PageOptions {
  readonly assetsDir: string;
  readonly origins: () => OriginPolicy;
  readonly notifications: Pick<NotificationService, 'publicUrl'>;
}

/** Adds the routes of the page. @returns a handler that serves the page at any path */
export function servePage(app: Hono<Env>, { assetsDir, origins, notifications }: PageOptions): MiddlewareHandler<Env> {
  app.get(
    '/assets/*',
    describePage('What the page loads.'),
    serveStatic({
      root: assetsDir,
      precompressed: true,
      onFound: (_, context) => context.header('Cache-Control', 'public, max-age=31536000, immutable'),
    }),
  );
  // Otherwise browsers guess from the date of the file how long they may keep it, and show the page of an earlier release.
  const current = (_: string, context: Context) => context.header('Cache-Control', 'no-cache');
  const file = serveStatic<Env>({
    root: assetsDir,
    precompressed: true,
    rewriteRequestPath: () => '/index.html',
    onFound: current,
  });
  const page: MiddlewareHandler<Env> = async (context, next) => {
    const { headers } = context.env.incoming;
    if (canLoadPage(origins(), headers)) return file(context, next);
    const link = notifications.publicUrl && linkTo(notifications.publicUrl, context.req.path);
    return context.html(html`${head}${link ?? unnamed}<p>${explainProxy(headers)}</p>`, 403);
  };
  app.get('/', describePage('The page.'), page);
  app.get('/s/*', describePage('The page, with a session.'), page);
  app.get('/inbox', describePage('The page, with everything that needs you.'), page);
  app.get('/once', describePage('The page, with the one prompt that a one-time link opens.'), page);
  const aboutReturn = 'The page that a browser returns to from a site that a tool sent it to.';
  app.get(returnPath, describePage(aboutReturn), page);
  app.get('/*', describePage('Its icons.'), serveStatic({ root: assetsDir, precompressed: true, onFound: current }));
  return page;
}

function linkTo(publicUrl: string, path: string): HtmlEscapedString | Promise<HtmlEscapedString> {
  const url = new URL(publicUrl);
  url.pathname = path; // as a part of the address: resolved, a path of two slashes would be another server
  return html`<p>It opens at <a href="${url.href}">${url.origin}</a>.</p>`;
}

const unnamed = html`<p>Its proxy has an address, such as https://parley.example.org: name it in PARLEY_ALLOWED_ORIGINS.</p>`;

/** The head of a page that stands alone: what the page proper loads is refused there. */
const head = html`<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Parley</title><h1>Parley does not open here</h1>`;

/** Replies 404: a browser gets the page, which explains it; a program gets an error object. */
export async function explainAbsence(
  context: Context<Env>,
  page: MiddlewareHandler<Env> | undefined,
): Promise<Response> {
  const isPerson = /^text\/html\b/.test(context.req.header('accept') ?? '');
  const found = isPerson && (await page?.(context, async () => {}));
  return found ? new Response(found.body, { status: 404, headers: found.headers }) : refuse(context, 404, 'not_found');
}

/** Describes a route that serves a file to everybody. */
export function describePage(summary: string): MiddlewareHandler {
  const responses = { 200: text('A file of the page.', 'text/html') };
  return describe({
    ...{ group: 'Page', summary, isOpen: true },
    responses,
  });
}
