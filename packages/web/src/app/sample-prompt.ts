import {
  type Answer,
  type ChatEvent,
  emptyItems,
  type InteractionRequest,
  listItems,
  type NewEvent,
  type Principal,
  reduceItems,
} from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { findChains } from '../prompt/chain.ts';
import type { RespondEvent } from '../prompt/interaction-card.ts';
import type { Viewer } from '../prompt/viewer.ts';
import '../prompt/interaction-card.ts';
import { base } from '../styles/base.ts';

const ids = { toolCallId: 'sample', interactionId: 'sample.1' } as const;

const request: InteractionRequest = {
  ...ids,
  slot: '1',
  toolName: 'run_command',
  interactionType: 'approval',
  attempt: 1,
  title: 'Delete the old build?',
  prompt: 'The new one is in place, and the disk is nearly full.',
  subject: { kind: 'command', text: 'rm -r build/2025-11' },
  risk: 'medium',
  approvalScopes: ['once', 'session'],
  presentation: 'questionnaire',
  source: { kind: 'tool', name: 'run_command' },
  digest: '',
  onUnavailable: 'error',
};

/** A sample prompt that belongs to no session: it uses the page's own card and fold, and sends nothing. */
@customElement('parley-sample')
export class SamplePrompt extends LitElement {
  static override styles = [
    base,
    css`
      p {
        margin-top: var(--s2);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
    `,
  ];

  @property({ attribute: false }) principal!: Principal;
  @state() private events: readonly ChatEvent[] = [place({ type: 'interaction_request', payload: request }, 1)];
  #viewer: Viewer | undefined;

  override render() {
    const items = listItems(reduceItems(emptyItems, this.events)).filter((item) => item.kind === 'interaction');
    const isAnswered = this.events.length > 1;
    return html`<parley-card
        .chain=${findChains(items)[0]}
        .viewer=${this.#makeViewer()}
        @parley-respond=${this.#respond}
      ></parley-card>
      ${isAnswered ? html`<p role="status">That is all: the agent goes on with your answer. Nothing was run, this was a sample.</p>` : nothing}`;
  }

  #makeViewer(): Viewer {
    const { principal } = this;
    if (this.#viewer?.principal !== principal)
      this.#viewer = { clientId: 'here', sessionId: 'sample', principal, isInteractive: true, now: () => Date.now() };
    return this.#viewer as Viewer;
  }

  #respond(event: RespondEvent): void {
    event.stopPropagation();
    const answer: Answer = event.detail.answer;
    const by = { clientId: 'here', connectionId: '', principal: this.principal.id, transport: 'ws' } as const;
    const payload = { ...ids, answerId: 'sample', ...answer, by };
    this.events = [...this.events, place({ type: 'interaction_response', payload } as NewEvent, 2)];
  }
}

function place(event: NewEvent, seq: number): ChatEvent {
  return { ...event, seq, sessionId: 'sample', timestamp: new Date().toISOString() } as ChatEvent;
}
