import type { Page } from 'playwright-core';

/** What must hold in every state at every size: nothing leaves the page, no small text, room for fingers, nothing moves. */
export function findFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const isTouched = matchMedia('(pointer: coarse)').matches;
    const controls = 'button, input, select, textarea, summary, [role="tab"], [role="switch"], [role="menuitem"]';
    const describe = (element: Element) =>
      `${element.localName}.${element.className} “${element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 30)}”`;
    const listAll = (root: ParentNode): HTMLElement[] =>
      [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => [
        element,
        ...(element.shadowRoot ? listAll(element.shadowRoot) : []),
      ]);
    const isUnseen = (element: HTMLElement) =>
      !element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true, opacityProperty: true }) ||
      element.closest('[inert], .visually-hidden') !== null;
    const parentOf = (element: Element): Element | null => {
      const root = element.getRootNode();
      return element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    };
    const isInSentence = (element: Element) =>
      [...(element.parentElement?.childNodes ?? [])].some((node) => node instanceof Text && /\w{3}/.test(node.data)) ||
      element.closest('.summary') !== null;
    /** The sideways room that the parts around an element leave it. */
    const findRoom = (element: Element) => {
      let [left, right] = [0, innerWidth];
      for (let around = parentOf(element); around; around = parentOf(around)) {
        const { overflowX } = getComputedStyle(around);
        if (overflowX === 'visible') continue;
        if (overflowX === 'auto' || overflowX === 'scroll')
          return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
        const box = around.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      }
      return [left, right] as const;
    };
    for (const element of listAll(document.body)) {
      if (isUnseen(element)) continue;
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.height === 0 || box.right <= 0) continue;
      const style = getComputedStyle(element);
      const hasText = [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '');
      if (hasText && Number.parseFloat(style.fontSize) < 12)
        faults.push(`small text: ${describe(element)} ${style.fontSize}`);
      if (!element.matches(controls)) continue;
      const [left, right] = findRoom(element);
      if (box.left < left - 1 || box.right > right + 1)
        faults.push(
          `clipped: ${describe(element)} ${Math.round(box.left)} to ${Math.round(box.right)} of ${Math.round(left)} to ${Math.round(right)}`,
        );
      const target = element.matches('input[type="checkbox"], input[type="radio"]')
        ? (element.closest('label, .option') ?? (element as HTMLInputElement).labels?.[0] ?? element)
        : element;
      const { height } = target.getBoundingClientRect();
      if (isTouched && height < 43.5 && !isInSentence(element))
        faults.push(`small target: ${describe(element)} ${height}`);
    }
    const overflow = document.documentElement.scrollWidth - innerWidth;
    if (overflow > 0) faults.push(`the page is ${overflow} px too wide`);
    for (const animation of document.getAnimations())
      if (animation.playState === 'running')
        faults.push(`it moves: ${describe((animation.effect as KeyframeEffect).target ?? document.body)}`);
    return faults;
  });
}

/** Whether the next control that the keyboard comes to is there to be seen. */
export async function findFocusFault(page: Page): Promise<string | undefined> {
  if (await page.evaluate(() => document.activeElement === document.body)) await page.keyboard.press('Tab');
  return page.evaluate(() => {
    let focus = document.activeElement;
    while (focus?.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
    if (!focus || focus === document.body) return 'the focus is nowhere';
    const hasSign = (element: Element) => {
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return outlineStyle !== 'none' || boxShadow !== 'none';
    };
    for (let around: Element | null = focus; around; around = around.parentElement)
      if (hasSign(around)) return undefined;
    return `no sign of the focus: ${focus.localName}.${focus.className}`;
  });
}

/** What axe finds; its script must be in the page. With `rules`, only these. */
export function findViolations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(rules && { runOnly: { type: 'rule', values: [...rules] } }),
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' | ')}`,
    );
  }, rules);
}
