import { listAll } from '../stage.ts';
import { describe, listSeen, parentOf, targetOf } from './elements.ts';

const controls = 'button, input, select, textarea, summary, [role="tab"], [role="switch"], [role="option"]';
const smallestText = 12;
/** iOS zooms into a field with smaller text. */
const smallestEntry = 16;
const entries = 'input:not([type="checkbox"], [type="radio"]), select, textarea';
/** The size of a touch target, minus a tolerance for rounding. */
const smallestTarget = 43.5;

/**
 * Checks what must hold in every state at every size: nothing leaves the page, no small text, large touch targets, nothing moves.
 */
export function findLayoutFaults(): readonly string[] {
  const isTouched = matchMedia('(pointer: coarse)').matches;
  const faults = [...findMoves()];
  for (const element of listSeen()) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    const size = Number.parseFloat(getComputedStyle(element).fontSize);
    if (size < smallestText && hasText(element)) faults.push(`small text: ${describe(element)} ${size}`);
    if (!element.matches(controls) || getComputedStyle(element).clipPath !== 'none') continue;
    if (isTouched && element.matches(entries) && size < smallestEntry)
      faults.push(`zoomed into: ${describe(element)} ${size}`);
    const fault = findClip(element, box);
    if (fault) faults.push(fault);
    const { height } = targetOf(element).getBoundingClientRect();
    if (isTouched && height < smallestTarget && !isInSentence(element))
      faults.push(`small target: ${describe(element)} ${height}`);
  }
  // innerWidth would not do: on a phone it grows with the page.
  const overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (overflow > 0) faults.push(`the page is ${overflow} px too wide`);
  return faults;
}

const hasText = (element: Element) =>
  [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '');

const isInSentence = (element: Element) =>
  [...(element.parentElement?.childNodes ?? [])].some((node) => node instanceof Text && /\w{3}/.test(node.data)) ||
  element.closest('.summary') !== null;

/** Returns the part of a control that can never be seen, because an element around it hides it and does not scroll. */
function findClip(element: HTMLElement, box: DOMRect): string | undefined {
  const [x, y] = [findRoom(element, 'X'), findRoom(element, 'Y')];
  const where = `${describe(element)} ${Math.round(box.left)} to ${Math.round(box.right)}, ${Math.round(box.top)} to ${Math.round(box.bottom)}`;
  if (box.left < x.start - 1 || box.right > x.end + 1) return `clipped: ${where} of ${x.start} to ${x.end} across`;
  if (box.top < y.start - 1 || box.bottom > y.end + 1) return `clipped: ${where} of ${y.start} to ${y.end} down`;
  return undefined;
}

/** Returns the bounds that the elements around leave to an element; unlimited if one of them scrolls. */
function findRoom(element: Element, axis: 'X' | 'Y'): { readonly start: number; readonly end: number } {
  let [start, end] = [0, axis === 'X' ? document.documentElement.clientWidth : innerHeight];
  for (let around = parentOf(element); around; around = parentOf(around)) {
    const overflow = getComputedStyle(around)[`overflow${axis}`];
    if (overflow === 'auto' || overflow === 'scroll') return { start: -Infinity, end: Infinity };
    if (overflow === 'visible') continue;
    const box = around.getBoundingClientRect();
    const [from, to] = axis === 'X' ? [box.left, box.right] : [box.top, box.bottom];
    [start, end] = [Math.max(start, from), Math.min(end, to)];
  }
  return { start, end };
}

/** Returns the animations of all shadow roots, each of which lists only its own. */
export function listAnimations(): readonly Animation[] {
  const roots = listAll(document).flatMap(({ shadowRoot }) => (shadowRoot ? [shadowRoot] : []));
  return [document, ...roots].flatMap((root) => root.getAnimations());
}

function findMoves(): readonly string[] {
  return listAnimations()
    .filter(({ playState }) => playState === 'running')
    .map(({ effect }) => `it moves: ${describe((effect as KeyframeEffect).target ?? document.body)}`);
}
