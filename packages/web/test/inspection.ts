import type { Page } from 'playwright-core';

/** What a page is made of, as far as the words of others could have changed it. */
export interface Inspection {
  /** Elements of the page itself, by name. */
  readonly own: Readonly<Record<string, number>>;
  /** Words of others outside of the places that are theirs. */
  readonly strays: readonly string[];
  /** Elements in the places of others that only the page may make there. */
  readonly intruders: readonly string[];
  readonly hidden: readonly string[];
  /** Places of others that reach out of their card, or speak louder than its frame. */
  readonly loud: readonly string[];
  readonly links: readonly string[];
  readonly overflow: number;
}

/** Walks through all shadow roots of the page. */
export function inspect(page: Page, mark: string, places = '.said', largest = 16): Promise<Inspection> {
  return page.evaluate(
    ([mark, places, largest]) => {
      const own: Record<string, number> = {};
      const found = {
        strays: [] as string[],
        intruders: new Set<string>(),
        hidden: new Set<string>(),
        loud: new Set<string>(),
        links: new Set<string>(),
      };
      const inMarkdown = 'p br strong em del code pre ul ol li blockquote hr div table thead tbody tr th td a'.split(
        ' ',
      );
      const isHidden = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}|\p{M}{5}/u;
      const describe = (element: Element) => `${element.localName}.${element.className}`;

      const walk = (
        node: Node,
        place: { said?: Element | undefined; card?: Element | undefined; isMarkdown: boolean },
      ) => {
        if (node instanceof Text) {
          if (!place.said && node.data.includes(mark) && node.parentElement?.localName !== 'title')
            found.strays.push(`${node.parentElement?.localName}: ${node.data.slice(0, 80)}`);
          if (isHidden.test(node.data)) found.hidden.add(JSON.stringify(node.data.match(isHidden)?.[0]));
          return;
        }
        let here = place;
        if (node instanceof HTMLElement || node instanceof SVGElement) {
          const { localName, classList } = node;
          if (place.said) {
            const isDrawn = place.isMarkdown ? inMarkdown.includes(localName) : isMadeByPage(node, place.said);
            if (!isDrawn) found.intruders.add(`${describe(place.said)} > ${localName}`);
            if (node instanceof HTMLAnchorElement) found.links.add(`${node.protocol} ${node.rel} ${node.target}`);
          } else if (!node.closest('.revealed, .latest')) own[localName] = (own[localName] ?? 0) + 1;
          if (localName === 'article' || classList.contains('receipt') || classList.contains('row'))
            here = { ...here, card: node };
          if (localName === 'parley-markdown') here = { ...here, isMarkdown: true };
          if (node.matches(places) && !place.said) here = { ...here, said: node };
          if (here.said && !node.matches('br, pre.diff span')) check(node as HTMLElement, here.card);
        }
        const root = (node as Element).shadowRoot;
        for (const child of [...(root?.childNodes ?? []), ...node.childNodes]) {
          if (!(child instanceof HTMLStyleElement)) walk(child, here);
        }
      };
      /** The lines of a diff, and the host of an address. */
      const isMadeByPage = (node: Element, said: Element) =>
        (node.localName === 'span' && said.matches('pre.diff')) || (node.localName === 'b' && said.matches('.url'));
      const check = (node: HTMLElement, card: Element | undefined) => {
        if (!node.checkVisibility({ contentVisibilityAuto: true })) return;
        const style = getComputedStyle(node);
        if (Number.parseFloat(style.fontSize) > largest) found.loud.add(`${describe(node)}: ${style.fontSize}`);
        if (style.position !== 'static') found.loud.add(`${describe(node)}: ${style.position}`);
        const { left, right, width } = node.getBoundingClientRect();
        const room = card?.getBoundingClientRect();
        if (room && room.right > innerWidth + 1)
          found.loud.add(`${card?.className}: as far as ${Math.round(room.right)}`);
        const isScrolled = node.closest('.table, pre') !== null || style.overflow !== 'visible';
        if (room && width > 0 && !isScrolled && (left < room.left - 1 || right > room.right + 1)) {
          found.loud.add(
            `${describe(node)}: ${Math.round(left)} to ${Math.round(right)} in ${Math.round(room.left)} to ${Math.round(room.right)}`,
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
    [mark, places, largest] as const,
  );
}

/** Of each button of these prompts, whether it can be seen and pressed once its prompt is gone to. */
export function findCovered(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const all = (root: ParentNode, selector: string): HTMLElement[] =>
      [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => [
        ...(element.matches(selector) ? [element] : []),
        ...(element.shadowRoot ? all(element.shadowRoot, selector) : []),
      ]);
    const covered: string[] = [];
    for (const card of all(document, 'parley-interaction:not(.docked)')) {
      const [article] = all(card.shadowRoot as ParentNode, 'article');
      if (!article) continue;
      const form = card.shadowRoot?.querySelector('parley-form'); // its foot is in view as soon as it is
      (form ?? article).scrollIntoView({ block: 'start' });
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      for (const button of all(card.shadowRoot as ParentNode, '.foot button')) {
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
