import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { Subject, Ticket, Tickets } from '../auth/ticket.ts';
import { listCookies } from './cookies.ts';
import { cookiesOf, type Env } from './request.ts';

/** How long somebody may take at the provider, in ms. */
const flowMs = 15 * 60_000;

/** How many log-ins of one browser may be in progress, such as in several tabs; the oldest is forgotten for a further one. */
const mostFlows = 4;

export interface FlowOptions {
  readonly tickets: Tickets;
  /** The name of the log-in's cookie. */
  readonly cookieName: () => string;
  readonly isSecure: boolean;
  /** Where the cookies are sent. */
  readonly path: string;
  readonly now: () => number;
}

/** Keeps in the browser what it must bring back from the provider, in a cookie of its own for each log-in in progress (SIGN1). */
export function keepFlow(context: Context<Env>, options: FlowOptions, begun: Omit<Subject<'oidc'>, 'until'>): void {
  const { tickets, isSecure: secure, path, now } = options;
  for (const old of listFlows(context, options).slice(mostFlows - 1)) forgetFlow(context, options, old);
  const ticket = tickets.sign('oidc', { ...begun, until: now() + flowMs });
  setCookie(context, nameOf(options, begun), ticket, {
    ...{ httpOnly: true, secure, path, maxAge: flowMs / 1000 },
    sameSite: 'Lax', // the provider's site sends the browser back
  });
}

/**
 * Returns what this browser was sent away with; undefined if it was not, or too long ago. A cookie that a program on another port
 * set does not hide ours.
 */
export function readFlow(
  context: Context<Env>,
  options: FlowOptions,
  state: string | undefined,
): Ticket<'oidc'> | undefined {
  if (state === undefined) return undefined;
  const values = cookiesOf(context, nameOf(options, { state }));
  const flows = values.flatMap((value) => options.tickets.read('oidc', value) ?? []);
  return flows.find((flow) => flow.state === state && flow.until > options.now());
}

/** Removes the cookie of one log-in; those of others, which may be in progress in other tabs, stay. */
export function forgetFlow(context: Context<Env>, options: FlowOptions, flow: Pick<Ticket<'oidc'>, 'state'>): void {
  deleteCookie(context, nameOf(options, flow), { path: options.path, secure: options.isSecure });
}

/** Returns the log-ins in progress, the newest first. */
function listFlows(context: Context<Env>, options: FlowOptions): readonly Ticket<'oidc'>[] {
  const cookies = listCookies(context.req.header('cookie'), prefixOf(options));
  const flows = cookies.flatMap(([name, value]) => {
    const flow = options.tickets.read('oidc', value);
    return flow && name === nameOf(options, flow) && flow.until > options.now() ? [flow] : [];
  });
  return flows.toSorted((a, b) => b.until - a.until);
}

function nameOf(options: FlowOptions, { state }: Pick<Ticket<'oidc'>, 'state'>): string {
  return prefixOf(options) + state;
}

/** The name has the port, as that of the log-in has, because cookies are shared between ports. */
function prefixOf({ cookieName }: FlowOptions): string {
  return `${cookieName().replace('__Host-', '__Secure-')}_oidc_`; // `__Host-` would need the path `/`
}
