/** `/s/<sessionId>`, `/s/<sessionId>/<interactionId>` and `/inbox` (WEB6, WEB8); `nowhere` is any other address. */
export interface Route {
  readonly place?: 'inbox' | 'nowhere';
  readonly sessionId?: string;
  readonly interactionId?: string;
}

export function readRoute(path: string = location.pathname): Route {
  const [, mark, sessionId, interactionId] = path.split('/').map(decode);
  if (mark === '') return {};
  if (mark === 'inbox' && sessionId === undefined) return { place: 'inbox' };
  if (mark !== 's' || !sessionId) return { place: 'nowhere' };
  return interactionId ? { sessionId, interactionId } : { sessionId };
}

/** Malformed percent-encoding is kept as it is, and matches no session. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function pathOf({ place, sessionId, interactionId }: Route): string {
  if (place) return `/${place}`;
  const parts = [sessionId && 's', sessionId, interactionId].filter((part): part is string => Boolean(part));
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

export function goTo(route: Route, options: { replace?: boolean } = {}): void {
  const path = pathOf(route);
  if (path !== location.pathname) history[options.replace ? 'replaceState' : 'pushState'](null, '', path);
  dispatchEvent(new Event('parley-route'));
}
