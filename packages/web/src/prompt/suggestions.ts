import type { Request } from '@parleyhq/client';
import type { RuleScope, RuleSuggestion } from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { disclosure } from '../styles/disclosure.ts';
import { MisclickGuard } from '../ui/misclick-guard.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { ruleScopeWords } from './words.ts';

const useWords = { session: 'Use this rule', always: 'Use it in every session' } as const satisfies Record<
  RuleScope,
  string
>;

/**
 * Rules that would have covered what this person allowed again and again, for an open prompt or for a session (LESS2). They are read
 * from the server when this is shown. Nothing is chosen in advance: a rule counts once its button is pressed.
 */
@customElement('parley-suggestions')
export class Suggestions extends LitElement {
  static override styles = [
    base,
    controls,
    disclosure,
    css`
      :host {
        display: contents; /* without a suggestion, it takes no room */
      }
      section {
        display: grid;
        gap: var(--s2);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
      h3 {
        font: var(--text-h3) var(--sans);
        color: var(--ink);
      }
      b {
        font-weight: 500;
        color: var(--ink);
        overflow-wrap: anywhere;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s2);
        margin-block: var(--s1);
      }
      ul {
        display: grid;
        gap: var(--s1);
        margin: var(--s1) 0 0;
        padding: 0;
        list-style: none;
      }
      code {
        overflow-wrap: anywhere;
      }
      .inert:disabled {
        opacity: 1;
      }
      .failure {
        color: var(--danger);
      }
    `,
  ];

  @property() sessionId = '';
  /** The open prompt that the rules must cover; without it rules for the whole session are shown. */
  @property() interactionId = '';
  @property() heading = '';
  @property({ attribute: false }) ask!: (frame: Request) => Promise<unknown>;
  @property({ type: Boolean }) isDisabled = false;
  /** Whether some of what a rule would answer was not in view yet: until then none can be chosen (WEB7). */
  @property({ type: Boolean }) isUnread = false;
  @state() private suggestions: readonly RuleSuggestion[] = [];
  @state() private notice = '';
  @state() private failure = '';
  readonly #guard = new MisclickGuard(this);
  #loaded: string | undefined;

  /** Reads them again, such as after a grant was revoked. */
  async load(): Promise<void> {
    const { sessionId, interactionId } = this;
    const about = { sessionId, ...(interactionId && { interactionId }) };
    try {
      const { suggestions } = (await this.ask({ type: 'list_suggestions', ...about })) as {
        suggestions: RuleSuggestion[];
      };
      if (interactionId === this.interactionId && sessionId === this.sessionId) this.suggestions = suggestions;
    } catch {
      this.suggestions = []; // an aid, without which everything can be answered
    }
  }

  protected override willUpdate(_: PropertyValues): void {
    const about = `${this.sessionId} ${this.interactionId}`;
    if (this.#loaded !== about) {
      this.#loaded = about;
      this.suggestions = [];
      this.notice = '';
      this.failure = '';
      void this.load();
    }
    this.#guard.watch(`${about} ${this.suggestions.map(({ id }) => id).join()}`);
  }

  override render() {
    const isCard = this.interactionId !== '';
    const [first, ...others] = this.suggestions;
    const notice = html`<p role="status">${this.notice}</p>`;
    if (!first) return this.notice ? notice : nothing;
    return html`<section aria-label=${this.heading || 'A rule that you could use'}>
      ${this.heading ? html`<h3>${this.heading}</h3>` : nothing} ${this.#renderOne(first)}
      ${
        others.length === 0
          ? nothing
          : isCard
            ? html`<details><summary>${others.length === 1 ? 'A wider rule' : 'Wider rules'}</summary>${others.map((each) => this.#renderOne(each))}</details>`
            : others.map((each) => this.#renderOne(each))
      }
      ${this.notice ? notice : nothing} ${this.failure ? html`<p class="failure" role="alert">${renderUntrusted(this.failure)}</p>` : nothing}
    </section>`;
  }

  #renderOne(suggestion: RuleSuggestion) {
    const { id, label, count, cases, scopes } = suggestion;
    const isInert = this.isDisabled || this.isUnread || this.#guard.isNew;
    return html`<div>
      <p id=${id}>You allowed this ${count} times: <b>${renderUntrusted(label)}</b>, ${ruleScopeWords.session}.</p>
      <details>
        <summary>${cases.length < count ? `The last ${cases.length} times` : 'Each time'}</summary>
        <ul>
          ${cases.map(({ text, title, at }) => html`<li>${formatTime(at)} · <code>${renderUntrusted(text || (title ?? ''))}</code></li>`)}
        </ul>
      </details>
      <div class="row">
        ${scopes.map(
          (scope) => html`<button
            class=${isInert && !this.isDisabled && !this.isUnread ? 'inert' : ''}
            aria-describedby=${id}
            ?disabled=${isInert}
            @click=${(event: UIEvent) => this.#use(event, suggestion, scope)}
          >${useWords[scope]}</button>`,
        )}
        <button class="plain" aria-describedby=${id} ?disabled=${this.isDisabled} @click=${() => this.#decline(suggestion)}>
          Don’t suggest it again
        </button>
      </div>
    </div>`;
  }

  #use(event: UIEvent, suggestion: RuleSuggestion, scope: RuleScope): void {
    if (!this.#guard.isMeant(event)) return;
    void this.#decide(
      suggestion,
      { action: 'allow', approvalScope: scope },
      'You will not be asked about this again. Revoke it under “What runs without asking”.',
    );
  }

  #decline(suggestion: RuleSuggestion): void {
    void this.#decide(suggestion, { action: 'decline' }, 'It is not suggested to you again.');
  }

  async #decide(
    { id: suggestionId }: RuleSuggestion,
    what: { readonly action: 'allow' | 'decline'; readonly approvalScope?: RuleScope },
    words: string,
  ): Promise<void> {
    const { sessionId, interactionId } = this;
    this.failure = '';
    try {
      await this.ask({
        type: 'decide_suggestion',
        sessionId,
        suggestionId,
        ...what,
        ...(interactionId && { interactionId }),
      });
      this.suggestions = this.suggestions.filter(({ id }) => id !== suggestionId);
      this.notice = words;
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }
}
