import type { Page } from 'playwright-core';

declare global {
  interface Window {
    heard: string[];
  }
}

/** Records what a screen reader would announce by itself: changes of live regions, and calls of `ariaNotify`. */
export async function hear(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.heard = [];
    const document = Document.prototype as Document & { ariaNotify?(words: string): void };
    if (document.ariaNotify)
      document.ariaNotify = (words) => {
        window.heard.push(words);
      };
    const roles: Record<string, string> = { log: 'polite', status: 'polite', alert: 'assertive', timer: 'off' };
    const above = (node: Node) => (node as Element).assignedSlot ?? node.parentNode ?? (node as ShadowRoot).host;
    const isLive = (node: Node | null | undefined): boolean => {
      if (!node) return false;
      const element = node instanceof Element ? node : undefined;
      const live = element?.getAttribute('aria-live') ?? roles[element?.getAttribute('role') ?? ''];
      return live ? live !== 'off' : isLive(above(node));
    };
    const liveIn = (node: Node): Node[] => {
      if (isLive(node)) return [node];
      return node instanceof Element ? [...node.querySelectorAll('[role], [aria-live]')].filter(isLive) : [];
    };
    const observe = (root: Node) =>
      new MutationObserver((changes) => {
        const gained = changes.flatMap(({ addedNodes, type, target }) =>
          type === 'characterData' ? [target] : [...addedNodes],
        );
        for (const node of gained.flatMap(liveIn)) {
          const words = node instanceof HTMLStyleElement ? '' : (node.textContent ?? '').replace(/\s+/g, ' ').trim();
          if (words && node.nodeType !== Node.COMMENT_NODE) window.heard.push(words);
        }
      }).observe(root, { childList: true, subtree: true, characterData: true });
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (init) {
      const root = attachShadow.call(this, init);
      observe(root);
      return root;
    };
    observe(window.document);
  });
}

/** Returns and clears what was announced since the last call. */
export const takeHeard = (page: Page): Promise<string[]> => page.evaluate(() => window.heard.splice(0));
