import { contains, describe, elementAt, findFocus, listSeen, parentOf, targetOf } from './elements.ts';

const stops = 'a[href], button, input, select, textarea, summary, [tabindex]';

/**
 * Gives the focus to each control in turn: it must take it, show it, and not be covered meanwhile. Browsers show the focus only
 * after a key was pressed in the page.
 */
export async function findFocusFaults(): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const stop of listStops()) {
    (findFocus() as HTMLElement).blur();
    const before = describeLook(stop);
    stop.focus();
    const fault = findFault(stop, before) && (await findLasting(stop, before));
    if (fault) faults.push(`${fault}: ${describe(stop)}`);
  }
  (findFocus() as HTMLElement).blur();
  return faults;
}

/** Checks the focus after two frames: rows are measured when they come into view, which may move the focused control. */
async function findLasting(stop: HTMLElement, before: string): Promise<string | undefined> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return findFault(stop, before);
}

function listStops(): readonly HTMLElement[] {
  const seen = listSeen();
  const layer = seen.filter((element) => element.matches(':modal, :popover-open')).at(-1);
  return seen.filter(
    (element) =>
      element.matches(stops) &&
      element.tabIndex >= 0 &&
      !element.matches(':disabled') &&
      element.getBoundingClientRect().width > 0 &&
      (!layer || contains(layer, element)),
  );
}

function findFault(stop: HTMLElement, before: string): string | undefined {
  if (findFocus() !== stop) return 'it takes no focus';
  if (describeLook(stop) === before) return 'no sign of the focus';
  if (!isInView(targetOf(stop))) return 'the focus is out of view';
  return undefined;
}

/** Describes how a control and what is close around it looks. */
function describeLook(stop: HTMLElement): string {
  const looks: string[] = [];
  for (let around: Element | null = stop, n = 0; around && n < 4; around = parentOf(around), n += 1) {
    const { outlineStyle, outlineWidth, boxShadow, borderColor, clipPath } = getComputedStyle(around);
    looks.push(outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor, clipPath);
  }
  return looks.join();
}

/** Whether any part of the element is visible. */
function isInView(element: HTMLElement): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [x1, x2] = [Math.max(left, 0) + 2, Math.min(right, innerWidth) - 2];
  const [y1, y2] = [Math.max(top, 0) + 2, Math.min(bottom, innerHeight) - 2];
  const points = [
    [(x1 + x2) / 2, (y1 + y2) / 2],
    [x1, y1],
    [x2, y2],
    [x1, y2],
    [x2, y1],
  ] as const;
  return points.some(([x, y]) => {
    const hit = elementAt(x, y);
    return hit !== null && (contains(element, hit) || contains(hit, element));
  });
}
