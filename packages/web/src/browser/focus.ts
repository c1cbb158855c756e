import { deviceStorage } from './storage.ts';

/** The focused element, looking through all shadow roots. */
export function findFocus(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Whether nothing has the focus, as where what had it is gone or cannot be used any more. */
export const isFocusLost = (): boolean => [null, document.body].includes(findFocus() as HTMLElement | null);

/** Whether somebody points with a mouse: there, to focus a text field opens no keyboard over the page. */
export const isPointed = (): boolean => matchMedia('(pointer: fine)').matches;

/** Whether an input method takes the key, such as the Enter that ends its word. Safari says so by the code alone: for it the word has ended already. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Whether a key press goes into a text field or a selection, and so is not a shortcut (WEB5). */
export function isTyping(event: KeyboardEvent): boolean {
  if (isComposing(event)) return true;
  const [target] = event.composedPath();
  return isTextField(target) || target instanceof HTMLSelectElement;
}

/** Whether something takes text, and a phone shows its keyboard for it. */
export function isTextField(target: unknown): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|file)$/.test(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement;
}

/** Where it is kept whether a letter or a sign alone is a shortcut: who speaks to the page, or hits keys by mistake, turns that `off`. */
export const singleKeys = 'parley.keys';

/** Whether a key may be a shortcut of the page: one key alone, that nobody else took, and that is no text (WEB5). */
export function isShortcut(event: KeyboardEvent): boolean {
  return (
    deviceStorage.getItem(singleKeys) !== 'off' && !event.defaultPrevented && !isTyping(event) && !hasModifier(event)
  );
}

/** Whether a key was pressed in an open dialog: what is behind it does not hear it. One that was just closed may still have the focus. */
export function isInDialog(event: KeyboardEvent): boolean {
  return event.composedPath().some((target) => target instanceof HTMLDialogElement && target.open);
}

export function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}
