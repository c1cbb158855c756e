import { LitElement } from 'lit';

/**
 * An element whose failure to draw stays its own: it says `parley-broken`, and the card around it shows its JSON
 * instead (WEB4).
 * @fires parley-broken - drawing threw
 */
export class GuardedElement extends LitElement {
  protected override performUpdate(): void {
    try {
      super.performUpdate();
    } catch (error) {
      console.error(error);
      this.dispatchEvent(new CustomEvent('parley-broken', { detail: error, bubbles: true, composed: true }));
    }
  }
}
