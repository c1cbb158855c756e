/** An element of ours on somebody else's page. What is inside keeps to it: the page's keys, its address and its focus are not ours. */
export interface Embedding extends HTMLElement {
  /** The origin of the server's own page, where links lead. */
  readonly home: string;
}

/** The embedding that an element is in; undefined on our own page. */
export function findEmbedding(element: Element): Embedding | undefined {
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode())
    if ('home' in root.host) return root.host as Embedding;
  return undefined;
}

/** The origin of the page that has an address for each session. */
export function homeOf(element: Element): string {
  return findEmbedding(element)?.home ?? location.origin;
}

/** Where an element hears its shortcuts: everywhere on our own page, and elsewhere only within what is ours. */
export function keysOf(element: Element): Pick<EventTarget, 'addEventListener'> {
  return findEmbedding(element) ?? document;
}
