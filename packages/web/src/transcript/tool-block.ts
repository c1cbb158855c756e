import type { SentAnswer, Stream } from '@parleyhq/client';
import {
  type Actor,
  type Caller,
  isRecord,
  type Json,
  nameOf,
  showHidden,
  stateOf,
  type ToolItem,
} from '@parleyhq/core';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { type Chain, isSameChain } from '../prompt/chain.ts';
import type { Viewer } from '../prompt/interaction-card.ts';
import { base } from '../styles/base.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import './markdown-text.ts';
import { writeReadably } from './readable-json.ts';
import { isDocked } from './rows.ts';

const hasOtherChains = (a: readonly Chain[] = [], b: readonly Chain[] = []) =>
  a.length !== b.length || a.some((chain, n) => !isSameChain(chain, b[n]));

/** A tool call: its arguments, its status in words, its prompts, and its result below them. */
@customElement('parley-tool')
export class ToolBlock extends GuardedElement {
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.6rem;
      }
      .head {
        display: flex;
        gap: 0.5rem;
        align-items: center;
        font-size: 0.875rem;
        color: var(--ink-2);
        flex-wrap: wrap;
      }
      .head svg {
        font-size: 1rem;
        color: var(--ink-3);
      }
      .name {
        font: 500 0.8125rem/1.4 var(--mono);
        color: var(--ink);
        overflow-wrap: anywhere;
      }
      .status {
        font-size: 0.8125rem;
      }
      .caller {
        flex-basis: 100%;
        padding-left: 1.5rem;
        font-size: 0.8125rem;
      }
      .status.error {
        color: var(--danger);
      }
      .status.waiting {
        color: var(--amber);
        font-weight: 600;
      }
      .box {
        font-size: 0.8125rem;
        color: var(--ink-2);
      }
      .box summary {
        cursor: pointer;
        width: max-content;
        border-radius: 4px;
      }
      .inside {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.6rem;
        margin-left: 0.45rem;
        padding-left: 1rem;
        border-left: 1px solid var(--line);
      }
      pre {
        font: 400 0.8125rem/1.5 var(--mono);
        background: var(--sunken);
        border-radius: var(--r-control);
        padding: 0.6rem 0.8rem;
        margin-top: 0.35rem;
        max-height: 18rem;
        overflow: auto;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        color: var(--ink);
      }
      .error-text {
        color: var(--danger);
        font-size: 0.875rem;
        overflow-wrap: anywhere;
      }
      @media (max-width: 30rem) {
        .inside {
          margin-left: 0;
          padding-left: 0;
          border-left: 0;
        }
      }
    `,
  ];

  @property({ attribute: false }) item!: ToolItem;
  @property({ attribute: false, hasChanged: hasOtherChains }) chains: readonly Chain[] = [];
  @property({ attribute: false }) viewer!: Viewer;
  @property({ attribute: false }) answers: ReadonlyMap<string, SentAnswer> = new Map();
  /** What the tool prints while it runs. */
  @property({ attribute: false }) output: Stream | undefined;

  @state() private isBroken = false;

  constructor() {
    super();
    this.addEventListener('parley-broken', (event) => {
      event.stopPropagation();
      this.isBroken = true;
    });
  }

  override render() {
    const { call, result } = this.item;
    if (this.isBroken) return html`<parley-opaque label="A tool call" .value=${this.item}></parley-opaque>`;
    const { toolName = 'tool', args, parentToolCallId, by, from } = call?.payload ?? {};
    const told = toldBy(toolName, args);
    const [word, style] = this.#describeStatus();
    return html`<div class="head">
        ${icons.wrench}<span class="name">${renderUntrusted(toolName)}</span>
        <span class="status ${style}">${word}</span>
        ${parentToolCallId === undefined ? nothing : html`<span class="status">· by a sub-agent</span>`}
        ${by ? renderCaller(by, from) : nothing}
      </div>
      <div class="inside">
        ${told !== undefined ? html`<parley-markdown .text=${told}></parley-markdown>` : hasContent(args) ? renderJson('Arguments', args) : nothing}
        ${repeat(
          this.chains,
          ({ root }) => root,
          (chain) => this.#renderChain(chain, this.#argsEditedForPolicy(chain) ?? args),
        )}
        ${this.output ? html`<pre class="untrusted" tabindex="0" role="group" aria-label="Output">${showHidden(this.output.text)}</pre>` : nothing}
        ${result?.payload.error ? html`<p class="error-text untrusted">${showHidden(result.payload.error.message)}</p>` : nothing}
        ${result && !result.payload.error && told === undefined ? renderJson('Result', result.payload.result) : nothing}
      </div>`;
  }

  /** Arguments edited when a policy asked are the ones the handler runs with, and so what its own prompts are about. */
  #argsEditedForPolicy(chain: Chain): Json | undefined {
    const isOfPolicy = ({ current }: Chain) => current.request?.payload.source.kind === 'policy';
    return isOfPolicy(chain) ? undefined : this.chains.find(isOfPolicy)?.current.response?.payload.editedArgs;
  }

  #renderChain(chain: Chain, args: Json | undefined) {
    if (isDocked(chain)) return html`<p class="box">Asked above the message box ↓</p>`;
    return html`<parley-interaction
      id=${chain.current.interactionId}
      .chain=${chain}
      .viewer=${this.viewer}
      .sent=${this.answers.get(chain.current.interactionId)}
      .args=${args}
    ></parley-interaction>`;
  }

  #describeStatus(): [words: unknown, style: '' | 'error' | 'waiting'] {
    const { result } = this.item;
    const error = result?.payload.error;
    if (error?.code === 'cancelled' || error?.code === 'withdrawn') return [`· ${error.code}`, ''];
    if (error) return [html`· failed (${renderUntrusted(error.code)})`, 'error'];
    if (result) return ['· done', ''];
    const isWaiting = this.chains.some(({ current }) => stateOf(current) === 'open');
    return isWaiting ? ['· waiting for an answer', 'waiting'] : ['· running …', ''];
  }
}

/** Who called from outside: the person behind its token, and what the program calls itself, which anybody could (ASK1). */
function renderCaller(by: Actor, from: Caller | undefined) {
  const { name, detail } = from ?? {};
  const given = name === undefined ? nothing : html` that calls itself “${renderUntrusted(name)}”`;
  const more = detail === undefined ? nothing : html` (${renderUntrusted(detail)})`;
  return html`<span class="caller">for a program of ${renderUntrusted(nameOf(by))}${given}${more}</span>`;
}

/** What a program tells the person, which is the call itself (ASK3). */
function toldBy(toolName: string, args: Json | undefined): string | undefined {
  return toolName === 'tell_human' && isRecord(args) && typeof args.text === 'string' ? args.text : undefined;
}

const hasContent = (args: Json | undefined): boolean =>
  args !== undefined && args !== null && (typeof args !== 'object' || Object.keys(args).length > 0);

function renderJson(label: string, value: Json | undefined) {
  const text = writeReadably(value ?? null);
  const isShort = text.length < 60 && !text.includes('\n');
  return html`<details class="box">
    <summary>${label}${isShort ? html`: <code>${renderUntrusted(text)}</code>` : nothing}</summary>
    <pre class="untrusted" tabindex="0" role="group" aria-label=${label}>${showHidden(text)}</pre>
  </details>`;
}
