import { hasModifier, isTyping } from './focus.ts';

/** In ms: keys that follow each other faster belong to the same words. */
const pauseMs = 1000;

/** Whether a key presses the control that has the focus: assistive technology moves the focus without a key. */
function isPress(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return /^( |Enter)$/.test(event.key) && target instanceof Element && target.matches('button, a, summary, input');
}

/**
 * Keeps from everybody what somebody types on after their field went away, as when another person answered first: such a key is
 * part of a word, and neither a shortcut nor a choice (WEB5). A pause, Escape, Tab, Enter or the pointer ends the word.
 */
export function swallowStrayKeys(target: EventTarget, signal: AbortSignal): void {
  let typedAt = Number.NEGATIVE_INFINITY;
  const end = () => {
    typedAt = Number.NEGATIVE_INFINITY;
  };
  const hear = (event: KeyboardEvent) => {
    const isText = event.key.length === 1 && !hasModifier(event);
    const isEnd = /^(Enter|Escape|Tab)$/.test(event.key);
    const goesOn = performance.now() - typedAt < pauseMs;
    if (goesOn && !isTyping(event) && (isText || event.key === 'Enter') && !isPress(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (isEnd) end();
    else if (isText && (goesOn || isTyping(event))) typedAt = performance.now();
  };
  const options = { capture: true, signal };
  target.addEventListener('keydown', (event) => hear(event as KeyboardEvent), options);
  target.addEventListener('pointerdown', end, options);
}
