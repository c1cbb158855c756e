import type { Page } from 'playwright-core';

/** What a page consists of, as far as untrusted text could have changed it. */
export interface Inspection {
  /** Elements of the page itself, by name. */
  readonly own: Readonly<Record<string, number>>;
  /** Untrusted text outside of elements marked as untrusted. */
  readonly strays: readonly string[];
  /** Elements inside untrusted text that the page did not put there. */
  readonly intruders: readonly string[];
  readonly hidden: readonly string[];
  /** Untrusted text that leaves its card, or is larger than the card's frame. */
  readonly loud: readonly string[];
  readonly links: readonly string[];
  readonly overflow: number;
}

/** Inspects the page, through all shadow roots. `selector` finds the elements for untrusted text; `largest` is in px. */
export function inspect(page: Page, mark: string, selector = '.untrusted', largest = 17): Promise<Inspection> {
  return page.evaluate(
    ([mark, selector, largest]) => {
      const own: Record<string, number> = {};
      const found = {
        strays: [] as string[],
        intruders: new Set<string>(),
        hidden: new Set<string>(),
        loud: new Set<string>(),
        links: new Set<string>(),
      };
      const inMarkdown =
        'p br strong em del code parley-code ul ol li blockquote hr div table thead tbody tr th td a'.split(' ');
      const inCode = 'figure figcaption span bdi button svg path pre'.split(' ');
      const isHidden = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}|\p{M}{5}/u;
      const describe = (element: Element) => `${element.localName}.${element.className}`;

      const walk = (
        node: Node,
        place: { untrusted?: Element | undefined; card?: Element | undefined; isMarkdown: boolean },
      ) => {
        if (node instanceof Text) {
          if (!place.untrusted && node.data.includes(mark) && node.parentElement?.localName !== 'title')
            found.strays.push(`${node.parentElement?.localName}: ${node.data.slice(0, 80)}`);
          if (isHidden.test(node.data)) found.hidden.add(JSON.stringify(node.data.match(isHidden)?.[0]));
          return;
        }
        let here = place;
        if (node instanceof HTMLElement || node instanceof SVGElement) {
          const { localName, classList } = node;
          if (place.untrusted) {
            const isDrawn =
              isCode(node) || (place.isMarkdown ? inMarkdown.includes(localName) : isMadeByPage(node, place.untrusted));
            if (!isDrawn) found.intruders.add(`${describe(place.untrusted)} > ${localName}`);
            if (node instanceof HTMLAnchorElement) found.links.add(`${node.protocol} ${node.rel} ${node.target}`);
          } else if (!node.closest('.revealed, .latest, .more, .unread')) {
            const kind = localName === 'textarea' ? 'input' : localName; // the number of lines decides which of them is used
            own[kind] = (own[kind] ?? 0) + 1;
          }
          if (localName === 'article' || classList.contains('receipt') || classList.contains('row'))
            here = { ...here, card: node };
          if (localName === 'parley-markdown') here = { ...here, isMarkdown: true };
          if (node.matches(selector) && !place.untrusted) here = { ...here, untrusted: node };
          if (here.untrusted && !node.matches('br, pre.diff span')) check(node as HTMLElement, here.card);
        }
        const root = (node as Element).shadowRoot;
        for (const child of [...(root?.childNodes ?? []), ...node.childNodes]) {
          if (!(child instanceof HTMLStyleElement)) walk(child, here);
        }
      };
      /** Whether the node is the page's own part of a code block, which text cannot create because it has a shadow root. */
      const isCode = (node: Element) => {
        const root = node.getRootNode();
        return root instanceof ShadowRoot && root.host.localName === 'parley-code' && inCode.includes(node.localName);
      };
      /** Whether the page itself marked the element: lines of a diff, and the host of an address. */
      const isMadeByPage = (node: Element, untrusted: Element) =>
        (node.localName === 'span' && untrusted.matches('pre.diff')) ||
        (node.matches('span.word') && untrusted.matches('pre.command')) || // the class is the page's own: untrusted text cannot set it
        (node.localName === 'b' && untrusted.matches('.url'));
      const check = (node: HTMLElement, card: Element | undefined) => {
        if (!node.checkVisibility({ contentVisibilityAuto: true })) return;
        const style = getComputedStyle(node);
        if (Number.parseFloat(style.fontSize) > largest) found.loud.add(`${describe(node)}: ${style.fontSize}`);
        if (style.position !== 'static') found.loud.add(`${describe(node)}: ${style.position}`);
        const { left, right, width } = node.getBoundingClientRect();
        const frame = card?.getBoundingClientRect();
        if (frame && frame.right > innerWidth + 1)
          found.loud.add(`${card?.className}: extends to ${Math.round(frame.right)}`);
        const isScrolled = node.closest('.table, pre') !== null || style.overflow !== 'visible';
        if (frame && width > 0 && !isScrolled && (left < frame.left - 1 || right > frame.right + 1)) {
          found.loud.add(
            `${describe(node)}: ${Math.round(left)} to ${Math.round(right)} in ${Math.round(frame.left)} to ${Math.round(frame.right)}`,
          );
        }
      };
      walk(document.documentElement, { isMarkdown: false });
      const { scrollWidth } = document.documentElement;
      return {
        own,
        strays: found.strays,
        intruders: [...found.intruders],
        hidden: [...found.hidden],
        loud: [...found.loud],
        links: [...found.links],
        overflow: scrollWidth - innerWidth,
      };
    },
    [mark, selector, largest] as const,
  );
}

/** Returns the buttons that cannot be seen or pressed after scrolling to their prompt. */
export function findCovered(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const all = (root: ParentNode, selector: string): HTMLElement[] =>
      [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => [
        ...(element.matches(selector) ? [element] : []),
        ...(element.shadowRoot ? all(element.shadowRoot, selector) : []),
      ]);
    const covered: string[] = [];
    for (const card of all(document, 'parley-card:not(.docked)')) {
      const [article] = all(card.shadowRoot as ParentNode, 'article');
      if (!article) continue;
      const form = card.shadowRoot?.querySelector('parley-form'); // the form's foot is in view once the form is
      (form ?? article).scrollIntoView({ block: 'start' });
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      for (const button of all(card.shadowRoot as ParentNode, '.foot button')) {
        if (!button.checkVisibility()) continue; // not shown until another press
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const isInView = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
        let hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        while (hit?.shadowRoot?.elementFromPoint((left + right) / 2, (top + bottom) / 2) && hit !== button) {
          const next: Element | null = hit.shadowRoot.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          if (!next || next === hit) break;
          hit = next;
        }
        if (!isInView || !(hit === button || button.contains(hit))) {
          covered.push(
            `${card.id} ${button.textContent?.trim().slice(0, 20)} ${Math.round(top)}-${Math.round(bottom)} ${hit?.localName}.${hit?.className}`,
          );
        }
      }
    }
    return covered;
  });
}
