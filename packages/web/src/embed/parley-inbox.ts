import type { ParleyClient } from '@parleyhq/client';
import { html } from 'lit';
import { customElement } from 'lit/decorators.js';
import { findNeeds, watchPostponed } from '../inbox/own-prompts.ts';
import { EmbeddedElement } from './embedded-element.ts';
import type { ParleyInboxElement } from './public.ts';

/** The inbox on another site's page. */
@customElement('parley-inbox')
export class ParleyInbox extends EmbeddedElement implements ParleyInboxElement {
  protected override get subject(): string {
    return 'inbox';
  }

  protected override renderView(client: ParleyClient) {
    return html`<parley-inbox-page exportparts="card" .client=${client}></parley-inbox-page>`;
  }

  protected override follow(client: ParleyClient): () => void {
    let reported: number | undefined;
    const report = () => {
      if (!client.state.welcome) return;
      const open = findNeeds(client.state).length;
      if (open !== reported) this.fire('parley-inbox-change', { open });
      reported = open;
    };
    report();
    const stops = [client.subscribe(report), watchPostponed(report)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  protected override findSession({ state }: ParleyClient, interactionId: string): string | undefined {
    return state.inbox.find(({ interaction }) => interaction.interactionId === interactionId)?.sessionId;
  }
}
