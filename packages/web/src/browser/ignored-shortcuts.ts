import { hasModifier, isTyping } from './focus.ts';

/** Whether a key opens the palette. */
export const isPaletteKey = (event: KeyboardEvent): boolean => event.key === 'k' && (event.ctrlKey || event.metaKey);

/** The pause in typing, in ms, that ends a word. */
const pauseMs = 1000;

/** Whether a key presses the focused control. Assistive technology moves the focus without keys, so the focus may be new. */
function isPress(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return /^( |Enter)$/.test(event.key) && target instanceof Element && target.matches('button, a, summary, input');
}

/**
 * Swallows keys that people go on typing after their text field disappeared, as when somebody else answered first: they belong to
 * a word and are neither shortcuts nor choices (WEB5). So do those typed before the palette is loaded. A pause, Escape, Tab, Enter or the pointer ends the word.
 */
export function swallowStrayKeys(target: EventTarget, signal: AbortSignal): void {
  let typedAt = Number.NEGATIVE_INFINITY;
  const end = () => {
    typedAt = Number.NEGATIVE_INFINITY;
  };
  const onKey = (event: KeyboardEvent) => {
    const isText = event.key.length === 1 && !hasModifier(event);
    const isEnd = /^(Enter|Escape|Tab)$/.test(event.key);
    const goesOn = performance.now() - typedAt < pauseMs;
    if (goesOn && !isTyping(event) && (isText || event.key === 'Enter') && !isPress(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (isEnd) end();
    else if (isText ? goesOn || isTyping(event) : isPaletteKey(event)) typedAt = performance.now();
  };
  const options = { capture: true, signal };
  target.addEventListener('keydown', (event) => onKey(event as KeyboardEvent), options);
  target.addEventListener('pointerdown', end, options);
}
