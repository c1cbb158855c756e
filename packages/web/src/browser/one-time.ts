/** The page of a one-time link. Its key replaces a log-in in everything its card sends (NTF3). */
export interface OneTimePage extends HTMLElement {
  readonly oneTimeKey: string;
}

/** Returns the key of the one-time page that an element is in; undefined on the pages with a log-in. */
export function findKey(element: Element): string | undefined {
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode())
    if ('oneTimeKey' in root.host) return (root.host as OneTimePage).oneTimeKey;
  return undefined;
}
