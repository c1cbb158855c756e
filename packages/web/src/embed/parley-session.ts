import type { ParleyClient } from '@parleyhq/client';
import { html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { EmbeddedElement } from './embedded-element.ts';
import type { ParleySessionElement } from './public.ts';
import { watchSession } from './session-watch.ts';

/** A session on another site's page. */
@customElement('parley-session')
export class ParleySession extends EmbeddedElement implements ParleySessionElement {
  @property({ attribute: 'session-id' }) sessionId = '';

  protected override get subject(): string {
    return this.sessionId;
  }

  protected override renderView(client: ParleyClient) {
    if (!this.sessionId) return nothing;
    return html`<parley-session-view
      exportparts="transcript, composer, card"
      .client=${client}
      sessionId=${this.sessionId}
    ></parley-session-view>`;
  }

  protected override follow(client: ParleyClient): () => void {
    if (!this.sessionId) return () => {};
    const session = client.open(this.sessionId);
    const stop = watchSession(session, {
      onSettled: (settled) => this.fire('parley-settled', settled),
      onChange: (change) => this.fire('parley-session-change', change),
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
