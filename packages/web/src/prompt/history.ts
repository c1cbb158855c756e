import { type InteractionItem, type Items, mayAnswer } from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { describeDifference } from './difference-words.ts';
import './since-denied.ts';
import './suggestions.ts';
import type { Viewer } from './viewer.ts';

/** What earlier answers say about an open prompt: what changed since it was denied, how it differs from the last of its kind, and rules for all of them (LESS2). */
@customElement('parley-history')
export class PromptHistory extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: contents; /* with nothing to say, it takes no room */
      }
      p {
        margin: 0;
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
        overflow-wrap: anywhere;
      }
    `,
  ];

  @property({ attribute: false }) current!: InteractionItem;
  @property({ attribute: false }) items: Items | undefined;
  @property({ attribute: false }) viewer!: Viewer;
  @property({ type: Boolean }) isUnread = false;

  #words: TemplateResult | undefined;

  /** The card says the same as long as it is read, whatever else happens in the session. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has('current') && changed.get('current')?.interactionId !== this.current.interactionId;
    if (this.items && (isOther || !this.#words)) this.#words = describeDifference(this.items, this.current);
  }

  override render() {
    const { current, viewer } = this;
    const request = current.request?.payload;
    const words = this.#words;
    const maySuggest = request?.suggests && viewer.ask && mayAnswer(viewer.principal, request);
    const { items } = this;
    return html`${items && request?.subject ? html`<parley-since-denied .current=${current} .items=${items} .self=${viewer}></parley-since-denied>` : nothing}${words ? html`<p>${words}</p>` : nothing}${
      maySuggest
        ? html`<parley-suggestions
            sessionId=${viewer.sessionId}
            interactionId=${request.interactionId}
            .ask=${viewer.ask}
            ?isDisabled=${!viewer.isInteractive}
            ?isUnread=${this.isUnread}
          ></parley-suggestions>`
        : nothing
    }`;
  }
}
