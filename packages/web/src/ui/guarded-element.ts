import { LitElement } from 'lit';

/**
 * An element that catches its own rendering errors, so that the card around it can show the JSON instead (WEB4).
 * @fires parley-broken - rendering failed
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
