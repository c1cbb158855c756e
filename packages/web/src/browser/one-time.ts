/** The page of a one-time link, whose key stands for a log-in in all that its card sends (NTF3). */
export interface OneTimePage extends HTMLElement {
  readonly oneTimeKey: string;
}

/** The key of the page that an element is in; undefined where somebody logged in. */
export function findKey(element: Element): string | undefined {
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode())
    if ('oneTimeKey' in root.host) return (root.host as OneTimePage).oneTimeKey;
  return undefined;
}
