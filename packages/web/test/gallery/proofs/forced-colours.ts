import { describe, listSeen, parentOf } from './elements.ts';

/** An element that is visible only by its background, such as a dot or a switch. */
interface Mark {
  readonly element: HTMLElement;
  readonly pseudo: '' | '::before' | '::after';
}

const clear = 'rgba(0, 0, 0, 0)';
const smallest = 3;

/** Returns the marks of the page while it has its own colours. */
export function listMarks(): readonly Mark[] {
  return listSeen().flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    const isEmpty = element.textContent?.trim() === '' && element.children.length === 0 && !element.shadowRoot;
    const marks: readonly Mark['pseudo'][] = ['::before', '::after'];
    return [
      ...(isEmpty && width >= smallest && height >= smallest && isPainted(element)
        ? [{ element, pseudo: '' } as const]
        : []),
      ...marks.filter((pseudo) => isPainted(element, pseudo)).map((pseudo) => ({ element, pseudo })),
    ];
  });
}

function isPainted(element: HTMLElement, pseudo: Mark['pseudo'] = ''): boolean {
  const style = getComputedStyle(element, pseudo || null);
  if (pseudo !== '' && (style.content === 'none' || Number.parseFloat(style.width) < smallest)) return false;
  if (element.matches('input, textarea, select, button, img, hr, dialog')) return false;
  return (
    style.backgroundColor !== clear && style.backgroundColor !== backdropOf(pseudo === '' ? parentOf(element) : element)
  );
}

function backdropOf(element: Element | null): string {
  for (let around = element; around; around = parentOf(around)) {
    const { backgroundColor } = getComputedStyle(around);
    if (backgroundColor !== clear) return backgroundColor;
  }
  return '';
}

/** Returns the marks that are invisible in forced colours. */
export function findLostMarks(marks: readonly Mark[]): readonly string[] {
  return marks
    .filter(({ element, pseudo }) => {
      const { borderTopStyle, borderBottomStyle, outlineStyle } = getComputedStyle(element, pseudo || null);
      const hasLine = [borderTopStyle, borderBottomStyle, outlineStyle].some((style) => style !== 'none');
      return element.isConnected && !hasLine && !isPainted(element, pseudo);
    })
    .map(({ element, pseudo }) => `lost in forced colours: ${describe(element)}${pseudo}`);
}
