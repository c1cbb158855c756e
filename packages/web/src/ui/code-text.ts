import { showHidden } from '@parleyhq/core';
import { css, html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { FrameBudget } from './frame-budget.ts';
import type { Token } from './highlight.ts';

export const codeStyles = css`
  .keyword {
    color: var(--accent);
  }
  .string {
    color: var(--ok);
  }
  .number {
    color: var(--amber);
  }
  .comment {
    color: var(--ink-3);
  }
  .name {
    font-weight: 600;
  }
`;

let highlight: typeof import('./highlight.ts').highlight | undefined;

/**
 * Characters highlighted per frame, for all code on the page together: a single text of the allowed length could block the tab.
 */
const charactersPerFrame = 8 * 1024;
const frames = new FrameBudget(charactersPerFrame, (run) => requestAnimationFrame(run));

interface Reading {
  readonly text: string;
  readonly language: string;
  tokens?: readonly Token[] | undefined;
}

/**
 * Highlights code once the highlighter is loaded and a frame has time for it; until then, and if that is impossible, code is
 * plain.
 */
export class CodeText implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  /** The code that was highlighted last, or is waiting for it. */
  #read: Reading | undefined;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    if (highlight) return;
    import('./highlight.ts').then(
      (module) => {
        highlight = module.highlight;
        this.#host.requestUpdate();
      },
      () => undefined,
    );
  }

  render(text: string, language: string): string | readonly TemplateResult[] {
    const shown = showHidden(text);
    if (language === '' || !highlight) return shown;
    if (this.#read?.text !== shown || this.#read.language !== language) this.#startReading(shown, language, highlight);
    return this.#read?.tokens?.map((token) => html`<span class=${token.kind}>${token.text}</span>`) ?? shown;
  }

  #startReading(text: string, language: string, read: NonNullable<typeof highlight>): void {
    const asked: Reading = { text, language };
    let isDrawn = false;
    this.#read = asked;
    frames.run(text.length, () => {
      if (this.#read !== asked) return; // it was replaced while it waited
      asked.tokens = read(text, language.toLowerCase());
      if (isDrawn) this.#host.requestUpdate();
    });
    isDrawn = true;
  }
}
