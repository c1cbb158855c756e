import { toSubject } from '@parleyhq/claude-tools';
import { isRecord, type Json, splitMedia, type ToolItem } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { copyStyles, renderCopy } from '../ui/copy.ts';
import { countLines } from './call-words.ts';
import { writeOutput } from './output-text.ts';
import { writeReadably } from './readable-json.ts';
import './result-media.ts';
import '../ui/diff-view.ts';
import '../ui/text-box.ts';

type Part = 'Changes' | 'Output' | 'Arguments';

/** What a call was given, what it changes, and what it printed, one at a time. */
@customElement('parley-tool-panel')
export class ToolPanel extends LitElement {
  static override styles = [
    base,
    controls,
    copyStyles,
    css`
      .tabs {
        display: flex;
        gap: var(--s1);
      }
      .tabs button {
        font: 500 var(--text-meta) var(--sans);
        color: var(--ink-3);
        background: none;
        border: 0;
        border-radius: 6px;
        padding: var(--s1) var(--s2);
        min-height: 1.5rem;
        cursor: pointer;
      }
      .tabs button:hover {
        color: var(--ink);
      }
      .tabs [aria-pressed="true"] {
        color: var(--ink);
        background: var(--hover);
      }
      .changes {
        background: var(--sunken);
        border: 1px solid var(--line);
        border-radius: var(--r-control);
        padding-block: 2px var(--s2);
      }
      .bar {
        display: flex;
        align-items: center;
        justify-content: space-between;
        padding-inline: var(--s2) 2px;
      }
      .scroll {
        max-height: 22rem;
        overflow: auto;
        margin-block-start: var(--s1);
      }
      @media (pointer: coarse) {
        .tabs button {
          min-height: 2.75rem;
        }
      }
      @media (forced-colors: active) {
        [aria-pressed="true"] {
          outline: 1px solid CanvasText;
        }
      }
    `,
  ];

  @property({ attribute: false }) item!: ToolItem;
  /** What the tool has printed so far; undefined unless it is running. */
  @property({ attribute: false }) printed: string | undefined;
  /** Undefined until a person chooses a part. */
  @state() private chosen: Part | undefined;

  override render() {
    const { call, result } = this.item;
    const { toolName = '', args } = call?.payload ?? {};
    const changes = toChanges(toolName, args);
    const hasOutput = this.printed !== undefined || (result !== undefined && !result.payload.error);
    const parts: readonly Part[] = [
      ...(changes === undefined ? [] : (['Changes'] as const)),
      ...(hasOutput ? (['Output'] as const) : []),
      ...(args === undefined ? [] : (['Arguments'] as const)),
    ];
    const part = this.chosen !== undefined && parts.includes(this.chosen) ? this.chosen : parts[0];
    const tabs = this.#renderTabs(parts, part);
    if (part === 'Changes' && changes !== undefined)
      return html`<div class="changes">
        <div class="bar">${tabs}${renderCopy('Copy: Changes', () => changes)}</div>
        <div class="scroll" tabindex="0" role="group" aria-label="Changes"><parley-diff .text=${changes}></parley-diff></div>
      </div>`;
    const isOutput = part === 'Output';
    const text = isOutput
      ? result
        ? writeOutput(result.payload.result)
        : (this.printed ?? '')
      : writeReadably(args ?? null);
    const { media } = splitMedia(result?.payload.result ?? null);
    return html`${isOutput && media.length > 0 ? html`<parley-media .media=${media}></parley-media>` : nothing}<parley-text
      label=${part ?? ''}
      .text=${text}
      size=${countLines(text)}
      language=${isOutput ? languageOf(args) : 'json'}
      ?isLive=${isOutput && !result}
      >${tabs}</parley-text
    >`;
  }

  #renderTabs(parts: readonly Part[], part: Part | undefined) {
    const choose = (name: Part) => () => {
      this.chosen = name;
    };
    return html`<div class="tabs" role="group" aria-label="Of this call">
      ${parts.map((name) => html`<button aria-pressed=${name === part} @click=${choose(name)}>${name}</button>`)}
    </div>`;
  }
}

/** Returns an edit as a diff, if the tool's arguments describe the change. */
function toChanges(toolName: string, args: Json | undefined): string | undefined {
  const subject = isRecord(args) ? toSubject(toolName, args) : undefined;
  return subject?.kind === 'diff' ? subject.text : undefined;
}

/** Returns the language of the file that was read, by its extension. */
function languageOf(args: Json | undefined): string {
  const path = isRecord(args) ? args.file_path : undefined;
  return typeof path === 'string' ? (/\.(\w{1,10})$/.exec(path)?.[1] ?? '') : '';
}
