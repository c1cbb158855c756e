import { html, type TemplateResult } from 'lit';

interface Menu {
  readonly id: string;
  readonly label: string;
  readonly face: unknown;
}

/**
 * Renders a button and the menu that it opens, which needs `menuStyles`. Choosing an item closes the menu, except for switches.
 */
export function renderMenu({ id, label, face }: Menu, items: unknown): TemplateResult {
  return html`<button class="icon" aria-label=${label} title=${label} aria-description="" popovertarget=${id}>${face}</button>
    <div class="menu" id=${id} popover @toggle=${toggle} @focusout=${close} @keydown=${move} @click=${leave}>${items}</div>`;
}

function itemsOf(menu: EventTarget | null): HTMLButtonElement[] {
  return [...(menu as HTMLElement).querySelectorAll('button')].filter((item) => item.checkVisibility());
}

/** Moves the focus into the menu, and back to the button when it closes: browsers lose the focus in shadow roots. */
function toggle({ currentTarget, newState }: ToggleEvent): void {
  const menu = currentTarget as HTMLElement;
  if (newState === 'open') itemsOf(menu)[0]?.focus();
  else if (menu.matches(':focus-within') || document.activeElement === document.body)
    (menu.previousElementSibling as HTMLElement).focus();
}

/** Closes the menu when the focus leaves it, so that it does not cover what keyboard users reach next. */
function close({ currentTarget, relatedTarget }: FocusEvent): void {
  const menu = currentTarget as HTMLElement;
  if (relatedTarget instanceof Node && !menu.contains(relatedTarget) && relatedTarget !== menu.previousElementSibling)
    menu.hidePopover();
}

function move(event: KeyboardEvent): void {
  const items = itemsOf(event.currentTarget);
  const at = items.findIndex((item) => item.matches(':focus'));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}

/**
 * Closes the menu before the item acts: a dialog opened by the item later returns the focus to the menu's button, not to a hidden
 * item.
 */
const leave = {
  capture: true,
  handleEvent({ currentTarget, target }: Event): void {
    const item = (target as Element).closest('button');
    if (!item || item.role === 'switch') return;
    const menu = currentTarget as HTMLElement;
    menu.hidePopover();
    (menu.previousElementSibling as HTMLElement).focus();
  },
};
