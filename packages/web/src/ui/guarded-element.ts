import { LitElement } from 'lit';

/**
 * An element that contains its own rendering errors: the card around it shows its JSON instead (WEB4).
 * @fires parley-broken - rendering threw
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
