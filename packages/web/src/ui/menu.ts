import { html, type TemplateResult } from 'lit';

interface Menu {
  readonly id: string;
  readonly label: string;
  readonly face: unknown;
}

/** A button, and the menu that it opens; its styles are `menuStyles`. Only the choice of a switch leaves it open. */
export function renderMenu({ id, label, face }: Menu, items: unknown): TemplateResult {
  return html`<button class="icon" aria-label=${label} title=${label} aria-description="" popovertarget=${id}>${face}</button>
    <div class="menu" id=${id} popover @toggle=${toggle} @focusout=${close} @keydown=${move} @click=${leave}>${items}</div>`;
}

function itemsOf(menu: EventTarget | null): HTMLButtonElement[] {
  return [...(menu as HTMLElement).querySelectorAll('button')].filter((item) => item.checkVisibility());
}

/** The focus goes in, and back to the button: browsers lose it where the menu is in a shadow root. */
function toggle({ currentTarget, newState }: ToggleEvent): void {
  const menu = currentTarget as HTMLElement;
  if (newState === 'open') itemsOf(menu)[0]?.focus();
  else if (menu.matches(':focus-within') || document.activeElement === document.body)
    (menu.previousElementSibling as HTMLElement).focus();
}

/** Who goes on by the keyboard would have it in the way. */
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

/** Before the item acts: what it opens gives the focus back to the menu's button then, not to an item that is gone. */
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
