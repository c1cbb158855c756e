import type { ViewApp } from '@parleyhq/core';
import type { ViewRegistry } from '@parleyhq/runtime';
import type { Context, Hono } from 'hono';
import type { OriginPolicy } from './origin.ts';
import { describePage } from './page.ts';
import { refuse } from './refusal.ts';
import type { Env } from './request.ts';
import { viewBridge } from './view-bridge.ts';

export interface ViewRoutes {
  readonly views: Pick<ViewRegistry, 'get'>;
  readonly origins: () => Pick<OriginPolicy, 'hosts'>;
}

const viewPath = '/views/:plugin/:name';

/**
 * Serves the pages of views: code of plugins, or of MCP servers, the same for everybody; the surrounding page passes them what to
 * show (PLG10). Opened by its address, a plugin's view is empty, and an MCP server's is not found.
 */
export function serveViews(app: Hono<Env>, { views, origins }: ViewRoutes): void {
  app.get(viewPath, describePage('The page of a plugin’s view.'), (context: Context<Env, typeof viewPath>) => {
    const { plugin, name } = context.req.param();
    const { html, app } = views.get({ plugin, name }) ?? {};
    if (html === undefined || (app && !isFramed(context))) return refuse(context, 404, 'not_found');
    if (app) context.set('app', withoutHosts(app, origins().hosts));
    return context.body(addBridge(html), 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
    });
  });
}

/**
 * Whether a frame asks, as far as the browser says. In a tab of its own, at our address, the page of an MCP server could pass for
 * ours.
 */
function isFramed(context: Context): boolean {
  return (context.req.header('sec-fetch-dest') ?? 'iframe') === 'iframe';
}

/** Leaves out the server's own addresses: no page of others may use them. */
function withoutHosts(app: ViewApp, hosts: ReadonlySet<string>): ViewApp {
  const isForeign = (origin: string) => !(URL.canParse(origin) && hosts.has(new URL(origin).host));
  return { ...app, connects: app.connects.filter(isForeign), loads: app.loads.filter(isForeign) };
}

/** Inserts the bridge before all other scripts, but after the doctype, so that the page is not rendered in quirks mode. */
export function addBridge(page: string): string {
  const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(page) ?? [];
  return `${doctype}<script>${viewBridge}</script>${page.slice(doctype.length)}`;
}
