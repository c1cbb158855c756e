import { listAll } from '../stage.ts';

export const describe = (element: Element): string => {
  const words = element.getAttribute('aria-label') ?? element.textContent?.trim().replace(/\s+/g, ' ').slice(0, 30);
  return `${element.localName}.${element.className}#${element.id} “${words}”`;
};

const isSeen = (element: HTMLElement): boolean =>
  element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true, opacityProperty: true }) &&
  element.closest('[inert], .visually-hidden') === null;

/** Returns every visible element, through all shadow roots. */
export const listSeen = (): readonly HTMLElement[] => listAll(document.body).filter(isSeen);

/** Returns the parent of an element on the page, which may be a slot or the host of its shadow root. */
export function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Returns the focused element, or the body if there is none. */
export function findFocus(): Element {
  let focus: Element = document.activeElement ?? document.body;
  while (focus.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
  return focus;
}

/** Returns the topmost element at a point, within all shadow roots. */
export function elementAt(x: number, y: number): Element | null {
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

/** Whether one element contains the other, through all shadow roots. */
export function contains(around: Element, inner: Element | null): boolean {
  for (let element = inner; element; element = parentOf(element)) if (element === around) return true;
  return false;
}

/** Returns what a person presses instead of a control that is shown by its label. */
export function targetOf(control: HTMLElement): HTMLElement {
  if (!control.matches('input[type="checkbox"], input[type="radio"]')) return control;
  return control.closest<HTMLElement>('label, .option') ?? (control as HTMLInputElement).labels?.[0] ?? control;
}
