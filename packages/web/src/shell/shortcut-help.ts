import { css, html, LitElement } from 'lit';
import { customElement } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';

const keys = [
  ['n', 'Go to the next open prompt, in any session'],
  ['1 – 9', 'Choose an option, or a button of an approval'],
  ['Enter', 'Go to the next question, or submit; press the focused button'],
  ['Ctrl Enter', 'The same in a multi-line field (⌘ Enter on a Mac)'],
  ['Escape', 'Leave the field; never answers'],
  ['m', 'Write a message'],
  ['?', 'Show these shortcuts'],
] as const;

/** The dialog with the keyboard shortcuts. */
@customElement('parley-help')
export class ShortcutHelp extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      h2 {
        font-size: 1.0625rem;
        font-weight: 600;
        margin-bottom: 0.75rem;
      }
      dl {
        display: grid;
        grid-template-columns: max-content 1fr;
        gap: 0.6rem 1.1rem;
        font-size: 0.875rem;
        align-items: baseline;
      }
      form {
        display: flex;
        justify-content: flex-end;
        margin-top: 1.1rem;
      }
    `,
  ];

  async open(): Promise<void> {
    await this.updateComplete;
    const dialog = this.renderRoot.querySelector('dialog');
    if (!dialog?.open) dialog?.showModal();
  }

  override render() {
    return html`<dialog aria-labelledby="heading">
      <h2 id="heading">Keyboard shortcuts</h2>
      <dl>
        ${keys.map(
          ([key, words]) =>
            html`<dt><kbd>${key}</kbd></dt>
              <dd>${words}</dd>`,
        )}
      </dl>
      <form method="dialog"><button>Close</button></form>
    </dialog>`;
  }
}
