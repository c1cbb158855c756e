/** One of our elements on another site's page. Elements inside must leave that page's keys, address and focus alone. */
export interface Embedding extends HTMLElement {
  /** Origin of the server's own page, where links lead. */
  readonly home: string;
}

/** Returns the embedding that an element is in; undefined on our own page. */
export function findEmbedding(element: Element): Embedding | undefined {
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode())
    if ('home' in root.host) return root.host as Embedding;
  return undefined;
}

/** Returns the origin of the page that has an address for each session. */
export function homeOf(element: Element): string {
  return findEmbedding(element)?.home ?? location.origin;
}

/** Returns where to listen for shortcuts: the whole document on our own page, otherwise only the embedding element. */
export function keysOf(element: Element): Pick<EventTarget, 'addEventListener'> {
  return findEmbedding(element) ?? document;
}
