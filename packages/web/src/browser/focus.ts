import { deviceStorage } from './storage.ts';

/** Returns the focused element, looking through all shadow roots. */
export function findFocus(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Whether nothing has the focus, for example because the focused element was removed or disabled. */
export const isFocusLost = (): boolean => [null, document.body].includes(findFocus() as HTMLElement | null);

/** Whether people use a mouse: then focusing a text field does not open an on-screen keyboard. */
export const isPointed = (): boolean => matchMedia('(pointer: fine)').matches;

/**
 * Whether an input method handles the key, such as the Enter that ends its word. In Safari the composition has then already
 * ended; only key code 229 shows it.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Whether a key press goes into a text field or a select, and so is not a shortcut (WEB5). */
export function isTyping(event: KeyboardEvent): boolean {
  if (isComposing(event)) return true;
  const [target] = event.composedPath();
  return isTextField(target) || target instanceof HTMLSelectElement;
}

/** Whether an element takes text, so that a phone shows its keyboard for it. */
export function isTextField(target: unknown): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|file)$/.test(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement;
}

/** Storage key of the setting for single-key shortcuts; `off` helps people who use speech input or hit keys by mistake. */
export const singleKeys = 'parley.keys';

/** Whether a key may be a shortcut of the page: pressed alone, not handled yet, and not typed as text (WEB5). */
export function isShortcut(event: KeyboardEvent): boolean {
  return (
    deviceStorage.getItem(singleKeys) !== 'off' && !event.defaultPrevented && !isTyping(event) && !hasModifier(event)
  );
}

/**
 * Whether a key was pressed in an open dialog, so that the page behind ignores it. A dialog just closed may still have the focus.
 */
export function isInDialog(event: KeyboardEvent): boolean {
  return event.composedPath().some((target) => target instanceof HTMLDialogElement && target.open);
}

export function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}
