import type { Context, Hono } from 'hono';
import type { ViewBook } from '../tools/view-book.ts';
import { refuse } from './refusal.ts';
import type { Env } from './request.ts';
import { viewBridge } from './view-bridge.ts';

const viewPath = '/views/:plugin/:name';

/**
 * Pages of views: code of plugins, the same for everybody; what they show comes from the page around them (PLG10). Whoever opens
 * one by its address sees an empty page.
 */
export function serveViews(app: Hono<Env>, views: Pick<ViewBook, 'get'>): void {
  app.get(viewPath, (context: Context<Env, typeof viewPath>) => {
    const { plugin, name } = context.req.param();
    const page = views.get({ plugin, name });
    if (page === undefined) return refuse(context, 404, 'not_found');
    return context.body(addBridge(page), 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
    });
  });
}

/** First of all scripts, and behind a doctype, without which the page would be drawn as those of the nineties. */
export function addBridge(page: string): string {
  const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(page) ?? [];
  return `${doctype}<script>${viewBridge}</script>${page.slice(doctype.length)}`;
}
