import type { SentAnswer, Stream } from '@parleyhq/client';
import {
  type Actor,
  argsOf,
  type Caller,
  type CodedError,
  isRecord,
  type Json,
  nameOf,
  type Placed,
  showHidden,
  stateOf,
  stopWords,
  type ToolItem,
} from '@parleyhq/core';
import { html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { type Chain, findSent, isSameChain } from '../prompt/chain.ts';
import { renderPass } from '../prompt/reviewed.ts';
import type { Viewer } from '../prompt/viewer.ts';
import { base } from '../styles/base.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { countLines, describeCall, describeDuration } from './call-words.ts';
import { renderCallbacks } from './callback-lines.ts';
import '../ui/markdown-text.ts';
import { writeOutput } from './output-text.ts';
import { isDocked } from './rows.ts';
import { toolStyles } from './tool-styles.ts';

const hasOtherChains = (a: readonly Chain[] = [], b: readonly Chain[] = []) =>
  a.length !== b.length || a.some((chain, n) => !isSameChain(chain, b[n]));

/** A tool call: a line that opens to its output and arguments, with its prompts below. */
@customElement('parley-tool')
export class ToolBlock extends GuardedElement {
  static override styles = [base, toolStyles];

  @property({ attribute: false }) item!: ToolItem;
  @property({ attribute: false, hasChanged: hasOtherChains }) chains: readonly Chain[] = [];
  @property({ attribute: false }) viewer!: Viewer;
  @property({ attribute: false }) answers: ReadonlyMap<string, SentAnswer> = new Map();
  /** What the tool prints while it runs. */
  @property({ attribute: false }) output: Stream | undefined;

  /** Whether a person opened or closed the block; while undefined, it is open as long as the tool prints. */
  @state() private isOpen: boolean | undefined;
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
    const { by, from } = call?.payload ?? {};
    const message = this.#message;
    const [caller, fault] = [
      by && renderCaller(by, from),
      this.#isSaid ? undefined : renderFault(result?.payload.error),
    ];
    const isOneDetail = caller && fault && this.chains.length === 0 && message === undefined;
    return html`${this.#renderLine()}
      ${isOneDetail ? html`<p class="below">${fault} · ${caller}</p>` : caller ? html`<p class="below">${caller}</p>` : nothing}
      ${renderPass(this.item, this.viewer)}
      ${message === undefined ? nothing : html`<parley-markdown .text=${message}></parley-markdown>`}
      ${repeat(
        this.chains,
        ({ root }) => root,
        (chain) => this.#renderChain(chain),
      )}
      ${renderCallbacks(this.item)}
      ${fault && !isOneDetail ? html`<p class="below">${fault}</p>` : nothing}
      ${this.#isShown ? html`<parley-tool-panel .item=${this.item} .printed=${this.output?.text}></parley-tool-panel>` : nothing}`;
  }

  /** The message that a program sends to the person; it is the whole call (ASK3). */
  get #message(): string | undefined {
    const { toolName, args } = this.item.call?.payload ?? {};
    return toolName === 'tell_human' && isRecord(args) && typeof args.text === 'string' ? args.text : undefined;
  }

  /** Whether the line can be opened. */
  get #isOpenable(): boolean {
    const { call, result } = this.item;
    const hasOutput = this.output !== undefined || (result !== undefined && !result.payload.error);
    return this.#message === undefined && (hasOutput || hasContent(call && argsOf(call.payload)));
  }

  /** Whether the receipt of a prompt says why the call ended: a person denied it, or the caller gave its reason. Neither is an error. */
  get #isSaid(): boolean {
    const { code, message } = this.item.result?.payload.error ?? {};
    return this.chains.some(({ current: { response, closed } }) => {
      const { action, reason = message } = response?.payload ?? {};
      return code === 'denied' && action === 'deny' ? reason === message : closed?.payload.note === message;
    });
  }

  get #isShown(): boolean {
    return this.#isOpenable && (this.isOpen ?? this.output !== undefined);
  }

  protected override willUpdate(): void {
    if (this.#isShown) import('./tool-panel.ts').catch(() => undefined);
  }

  #renderLine() {
    const { call, result } = this.item;
    const { toolName = 'tool', parentToolCallId } = call?.payload ?? {};
    const args = call && argsOf(call.payload);
    const { verb, object } = describeCall(toolName, args);
    const isSaidBelow = verb === toolName && (this.#message !== undefined || this.chains.length > 0);
    const [mark, words] = this.#describeStatus();
    const hasLines = result && !result.payload.error && this.#message === undefined;
    const content = html`<span class="mark ${mark}">${marks[mark]}</span>
      <span class="verb">${renderUntrusted(verb)}</span>
      ${object === '' || isSaidBelow ? nothing : html`<span class="object">${renderUntrusted(object)}</span>`}
      ${parentToolCallId === undefined ? nothing : html`<span class="size">by a sub-agent</span>`}
      ${hasLines ? html`<span class="size">· ${countLines(writeOutput(result.payload.result))}</span>` : nothing}
      ${words}
      <span class="time">${this.#describeTime()}</span>`;
    if (!this.#isOpenable) return html`<div class="line">${content}</div>`;
    return html`<button class="line" aria-expanded=${this.#isShown} @click=${this.#toggle}>
      ${content}<span class="chevron">${icons.right}</span>
    </button>`;
  }

  #describeStatus() {
    const error = this.item.result?.payload.error;
    if (error && (isEnded(error) || this.#isSaid))
      return ['ended', html`<span class="status">· ${error.code}</span>`] as const;
    if (error)
      return ['failed', html`<span class="status error">· failed (${renderUntrusted(error.code)})</span>`] as const;
    const no = noes[this.chains.at(-1)?.current.response?.payload.action ?? ''];
    if (this.item.result && no) return ['ended', html`<span class="status">· ${no}</span>`] as const;
    if (this.item.result) return ['done', renderUnseen('done')] as const;
    const isWaiting = this.chains.some(({ current }) => stateOf(current) === 'open');
    return isWaiting
      ? (['waiting', renderUnseen('waiting for an answer')] as const)
      : (['running', renderUnseen('running')] as const);
  }

  /** Describes how long the call ran, counted from its start or from the last answer. */
  #describeTime(): string {
    const { call, result } = this.item;
    if (!call || !result) return '';
    const settled = this.chains.map(({ current: { response, closed } }) => response ?? closed);
    const begun = [call, ...settled].flatMap((part: Placed<unknown> | undefined) =>
      part ? [Date.parse(part.timestamp)] : [],
    );
    return describeDuration(Date.parse(result.timestamp) - Math.max(...begun));
  }

  #toggle(): void {
    this.isOpen = !this.#isShown;
  }

  #renderChain(chain: Chain) {
    if (isDocked(chain)) return html`<p class="below">Asked above the message box</p>`;
    return html`<parley-card
      part="card"
      id=${chain.current.interactionId}
      .chain=${chain}
      .viewer=${this.viewer}
      .sent=${findSent(this.answers, chain)}
      .tool=${this.item}
    ></parley-card>`;
  }
}

const marks = {
  done: icons.check,
  failed: icons.cross,
  ended: icons.dash,
  waiting: html`<i></i>`,
  running: html`<i></i>`,
} as const;

/** Whether a call ended because it was no longer needed, which is not an error. */
const isEnded = ({ code }: CodedError): boolean => code === 'cancelled' || code === 'withdrawn';

/**
 * Renders why a call failed; undefined if that would only repeat that it ended: the last row of a stopped turn says so already.
 */
function renderFault(error: CodedError | undefined) {
  const says = error?.message.replace(/\W/g, '').toLowerCase();
  if (!error || (isEnded(error) && (says === error.code || error.message === stopWords))) return undefined;
  return html`<span class="untrusted fault ${isEnded(error) ? '' : 'error'}" dir="auto">${showHidden(error.message)}</span>`;
}

/** Negative answers. If a call ends normally after one, no tick may suggest that it did what it asked for. */
const noes: Readonly<Record<string, string>> = { deny: 'denied', cancel: 'cancelled' };

/** Renders the meaning of the mark for screen readers. */
const renderUnseen = (words: string) => html`<span class="visually-hidden">${words}</span>`;

/**
 * Renders who called from outside: the person behind the token, and the name that the program gives itself, which nobody has
 * checked (ASK1).
 */
function renderCaller(by: Actor, from: Caller | undefined) {
  const { name, detail } = from ?? {};
  const more = detail === undefined ? nothing : html` (${renderUntrusted(detail)})`;
  const who = html`${renderUntrusted(nameOf(by))}${more}`;
  return html`<span>asked by ${name === undefined ? who : html`“${renderUntrusted(name)}”, a program of ${who}`}</span>`;
}

const hasContent = (args: Json | undefined): boolean =>
  args !== undefined && args !== null && (typeof args !== 'object' || Object.keys(args).length > 0);
