import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { disclosure } from '../styles/disclosure.ts';
import { icons } from '../ui/icons.ts';
import { listWays, type Way } from './ways-to-ask.ts';

/** Shows newcomers how the agent they already use can ask people here (ASK6, ASK7, ASK8). */
@customElement('parley-own-agent')
export class OwnAgent extends LitElement {
  static override styles = [
    base,
    controls,
    disclosure,
    css`
      summary {
        font-weight: 500;
      }
      ul {
        display: grid;
        margin-top: var(--s2);
        border: 1px solid var(--line);
        border-radius: var(--r-card);
        background: var(--surface);
      }
      li {
        display: grid;
        grid-template-columns: 8.25rem minmax(0, 1fr) auto;
        align-items: center;
        gap: 2px var(--s3);
        padding: var(--s2) var(--s2) var(--s2) var(--s4);
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      .name {
        font: 500 var(--text-secondary) var(--sans);
      }
      code {
        font: 400 var(--text-meta) var(--mono);
        color: var(--ink-2);
        overflow-wrap: anywhere;
      }
      button {
        min-width: 6.5rem;
      }
      .note {
        margin-top: var(--s2);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
      @media (max-width: 34rem) {
        li {
          grid-template-columns: minmax(0, 1fr) auto;
        }
        code {
          grid-column: 1;
        }
        button {
          grid-area: 1 / 2 / 3;
        }
      }
    `,
  ];

  /** Whether the section starts open: people who already have sessions do not need it. */
  @property({ type: Boolean }) isOpen = false;

  @state() private taken: Way | undefined;
  @state() private words = '';
  @query('details') private details!: HTMLDetailsElement;

  /** Applies `isOpen` once: people may open and close the section afterwards. */
  protected override firstUpdated(): void {
    this.details.open = this.isOpen;
  }

  protected override render() {
    const { connected, withToken, token, asAgent } = listWays(new URL(location.href));
    return html`<details>
      <summary>Let your own agent ask here</summary>
      ${this.#renderWays(connected)}
      <p class="note">Other programs need an asker’s token in PARLEY_ASK_TOKEN. The first line makes one, on the server’s machine.</p>
      ${this.#renderWays([token, ...withToken])}
      ${asAgent.length > 0 ? html`<p class="note">Your editor can have this server as an agent, with a person’s token as PARLEY_TOKEN.</p>${this.#renderWays(asAgent)}` : nothing}
      <p class="note">Parley also runs agents itself, such as Gemini CLI, OpenCode and goose: see docs/acp.md.</p>
      <p class="note" role="status">${this.words}</p>
    </details>`;
  }

  #renderWays(ways: readonly Way[]) {
    return html`<ul>${ways.map((way) => this.#renderWay(way))}</ul>`;
  }

  #renderWay(way: Way) {
    const isTaken = this.taken?.line === way.line;
    return html`<li>
      <span class="name">${way.name}</span>
      <code>${way.line}</code>
      <button aria-label=${`Copy the line: ${way.name}`} @click=${(event: Event) => this.#copy(way, event)}>
        ${isTaken ? html`${icons.check}Copied` : 'Copy'}
      </button>
    </li>`;
  }

  /** Copies a line. If the browser denies access to the clipboard, as it does without TLS, the line is selected instead. */
  async #copy(way: Way, { currentTarget }: Event): Promise<void> {
    const line = (currentTarget as Element).previousElementSibling as Element;
    try {
      await navigator.clipboard.writeText(way.line);
      this.taken = way;
      this.words = `Copied the line for ${way.name}.`;
    } catch {
      getSelection()?.selectAllChildren(line);
      this.taken = undefined;
      this.words = `The line for ${way.name} is selected: copy it with the keyboard.`;
    }
  }
}
