import type { ParleyClient } from '@parleyhq/client';
import { html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { EmbeddedElement } from './embedded-element.ts';
import './single-prompt.ts';
import { findRoot } from '../prompt/chain.ts';
import type { ParleyInteractionElement } from './public.ts';
import { watchSession } from './session-watch.ts';

/** One prompt on another site's page. */
@customElement('parley-interaction')
export class ParleyInteraction extends EmbeddedElement implements ParleyInteractionElement {
  @property({ attribute: 'session-id' }) sessionId = '';
  @property({ attribute: 'interaction-id' }) interactionId = '';

  protected override get subject(): string {
    return JSON.stringify([this.sessionId, this.interactionId]);
  }

  protected override renderView(client: ParleyClient) {
    if (!this.sessionId || !this.interactionId) return nothing;
    return html`<parley-prompt-room
      exportparts="card"
      .client=${client}
      sessionId=${this.sessionId}
      interactionId=${this.interactionId}
    ></parley-prompt-room>`;
  }

  protected override follow(client: ParleyClient): () => void {
    if (!this.sessionId) return () => {};
    const session = client.open(this.sessionId);
    const rootOf = (interactionId: string) => findRoot(session.state.items, interactionId);
    const stop = watchSession(session, {
      onSettled: (settled) => {
        if (rootOf(settled.interactionId) === rootOf(this.interactionId)) this.fire('parley-settled', settled);
      },
      onChange: () => {},
      onError: (failure) => this.fire('parley-error', failure),
    });
    return () => {
      stop();
      session.close();
    };
  }

  protected override findSession(): string {
    return this.sessionId;
  }
}
