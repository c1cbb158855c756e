/** Returns the id of the field that a control belongs to. */
export const idOf = (control: Element): string =>
  (control.getAttribute('name') ?? control.id).replace(/^field-/, '').replace(/-other$/, '');

const listControls = (root: ParentNode): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>('input, select, textarea'),
];

const findSubmit = (root: ParentNode): HTMLElement | null => root.querySelector('[type="submit"]');

/** Returns a form's first control, or else the button that submits. */
export const findFirst = (root: ParentNode): HTMLElement | null => listControls(root)[0] ?? findSubmit(root);

/** Returns the first control of the next field, or else the button that submits. */
export function findNext(root: ParentNode, control: Element): HTMLElement | null {
  const controls = listControls(root);
  const id = idOf(control);
  const at = controls.findLastIndex((other) => idOf(other) === id);
  return controls.slice(at + 1).find((other) => idOf(other) !== id) ?? findSubmit(root);
}
