import { showHidden } from '@parleyhq/core';
import { css, html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';

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

/** Colours code, once what reads it is loaded; until then, and where it cannot be, it is plain. */
export class CodeText implements ReactiveController {
  readonly #host: ReactiveControllerHost;

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
    const tokens = language === '' ? undefined : highlight?.(shown, language.toLowerCase());
    return tokens?.map((token) => html`<span class=${token.kind}>${token.text}</span>`) ?? shown;
  }
}
