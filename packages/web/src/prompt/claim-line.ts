import { type Claim, type InteractionId, nameOf, ownerOf, type Principal, personOf } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** The claims on a session's prompts, and how to make or release one (TEAM4). */
export interface Claims {
  find(interactionId: InteractionId): Claim | undefined;
  claim(interactionId: InteractionId, release: boolean): void;
  /** @returns a function that unsubscribes */
  subscribe(listener: () => void): () => void;
}

/** The person who sees the prompt. */
interface Onlooker {
  readonly principal: Principal;
  readonly now: () => number;
  readonly claims?: Claims;
}

/** Shows who has claimed the prompt ("Ann is on it"), and a button to claim it. A claim keeps nobody from answering. */
@customElement('parley-claim')
export class ClaimLine extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      span:empty {
        position: absolute; /* leaves no gap while empty; screen readers still announce it */
      }
      p {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--s2);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
    `,
  ];

  @property({ attribute: false }) viewer!: Onlooker;
  @property() interactionId = '';
  #stop: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#listen();
  }

  /** Starts listening here if the element was upgraded after it was connected: its properties are set only now. */
  protected override firstUpdated(): void {
    this.#listen();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#stop?.();
  }

  override render() {
    const { claims, principal } = this.viewer;
    if (!claims) return nothing;
    const claim = this.#findCurrent();
    const isOwn = claim !== undefined && personOf(claim.by) === ownerOf(principal);
    const say = () => claims.claim(this.interactionId, isOwn);
    const words = isOwn ? 'You are on it.' : claim ? html`${renderUntrusted(nameOf(claim.by))} is on it.` : nothing;
    return html`<p><span role="status">${words}</span><button class=${isOwn ? 'plain' : ''} @click=${say}>${isOwn ? 'Not any more' : 'I am on it'}</button></p>`;
  }

  #listen(): void {
    this.#stop = this.viewer.claims?.subscribe(() => this.requestUpdate());
  }

  /** Returns the claim while it lasts; renders again when it ends. */
  #findCurrent(): Claim | undefined {
    clearTimeout(this.#timer);
    const claim = this.viewer.claims?.find(this.interactionId);
    const leftMs = claim ? Date.parse(claim.until) - this.viewer.now() : 0;
    if (leftMs <= 0) return undefined;
    this.#timer = setTimeout(() => this.requestUpdate(), leftMs);
    return claim;
  }
}
