/** `/s/<sessionId>` and `/s/<sessionId>/<interactionId>` (WEB6). */
export interface Route {
  readonly sessionId?: string;
  readonly interactionId?: string;
}

export function readRoute(path: string = location.pathname): Route {
  const [, mark, sessionId, interactionId] = path.split('/').map(decodeURIComponent);
  if (mark !== 's' || !sessionId) return {};
  return interactionId ? { sessionId, interactionId } : { sessionId };
}

export function pathOf({ sessionId, interactionId }: Route): string {
  const parts = [sessionId && 's', sessionId, interactionId].filter((part): part is string => Boolean(part));
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

export function goTo(route: Route, options: { replace?: boolean } = {}): void {
  const path = pathOf(route);
  if (path !== location.pathname) history[options.replace ? 'replaceState' : 'pushState'](null, '', path);
  dispatchEvent(new Event('parley-route'));
}
