import { css, html, LitElement } from 'lit';
import { customElement } from 'lit/decorators.js';
import { singleKeys } from '../browser/focus.ts';
import { deviceStorage } from '../browser/storage.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { plainDialog } from '../styles/dialog.ts';
import '../ui/sheet-handle.ts';

const keys = [
  ['Ctrl K', 'Find a session or an action (⌘ K on a Mac)'],
  ['n', 'Go to the next open prompt, in any session'],
  ['1 – 9', 'Choose an option, or a button of an approval'],
  ['Enter', 'Go to the first field; submit from a field that you changed'],
  ['Ctrl Enter', 'Submit from anywhere in a card (⌘ Enter on a Mac)'],
  ['Escape', 'Leave the field; never answers'],
  ['j, k', 'In the inbox: the next prompt, the one before'],
  ['m', 'Write a message'],
  ['/', 'Search the session'],
  ['?', 'Show these shortcuts'],
] as const;

/** The dialog with the keyboard shortcuts. */
@customElement('parley-help')
export class ShortcutHelp extends LitElement {
  static override styles = [
    base,
    controls,
    plainDialog,
    css`
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: var(--s3) var(--s4);
        margin-block: var(--s4);
        font: 400 var(--text-secondary) var(--sans);
        align-items: baseline;
      }
      dd {
        color: var(--ink-2);
      }
      label {
        display: flex;
        align-items: center;
        gap: var(--s2);
        min-height: var(--control);
      }
    `,
  ];

  async open(): Promise<void> {
    await this.updateComplete;
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog?.open) return;
    dialog?.showModal();
    dialog?.querySelector('h2')?.focus(); // people read the list before they get to the switch
  }

  override render() {
    return html`<dialog aria-labelledby="heading">
      <parley-handle></parley-handle>
      <h2 id="heading" tabindex="-1">Keyboard shortcuts</h2>
      <dl>
        ${keys.map(
          ([key, words]) =>
            html`<dt><kbd>${key}</kbd></dt>
              <dd>${words}</dd>`,
        )}
      </dl>
      <label
        ><input type="checkbox" .checked=${deviceStorage.getItem(singleKeys) !== 'off'} @change=${this.#switch} /> Single-key shortcuts</label
      >
      <form method="dialog" class="actions"><button>Close</button></form>
    </dialog>`;
  }

  #switch({ target }: Event): void {
    deviceStorage.setItem(singleKeys, (target as HTMLInputElement).checked ? 'on' : 'off');
  }
}
