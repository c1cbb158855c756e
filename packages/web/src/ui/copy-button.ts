import { html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { announce } from '../page/announce.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from './icons.ts';

const saidMs = 2000;

/** Copies a text, and says that it did. There is none where the browser forbids it. */
@customElement('parley-copy')
export class CopyButton extends LitElement {
  static override styles = [base, controls];

  @property() text = '';
  @state() private isDone = false;

  override render() {
    if (!navigator.clipboard) return nothing;
    return html`<button class="plain" @click=${this.#copy}>
      ${this.isDone ? icons.check : icons.copy}${this.isDone ? 'Copied' : 'Copy'}
    </button>`;
  }

  async #copy(): Promise<void> {
    await navigator.clipboard.writeText(this.text);
    this.isDone = true;
    announce('Copied.');
    setTimeout(() => {
      this.isDone = false;
    }, saidMs);
  }
}
