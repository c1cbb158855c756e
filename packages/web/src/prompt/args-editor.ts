import type { InteractionRequest } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { revealHidden } from '../ui/untrusted-text.ts';
import { nameOfPart } from './edited-part.ts';

interface Editor {
  readonly text: string;
  /** What is wrong with it. */
  readonly fault: string | undefined;
  readonly isDisabled: boolean;
  readonly onInput: (text: string) => void;
}

/** Where the arguments of a call, or the part of them that may be, are edited before it is allowed. */
export function renderEditor(request: InteractionRequest, { text, fault, isDisabled, onInput }: Editor) {
  return html`<div class="field">
    <label for="args">The ${nameOfPart(request)} (what you see here is what runs)</label>
    <textarea
      id="args"
      class="args"
      spellcheck="false"
      autocapitalize="off"
      aria-invalid=${fault ? 'true' : nothing}
      aria-describedby=${fault ? 'args-error' : nothing}
      .value=${text}
      ?disabled=${isDisabled}
      @input=${({ target }: InputEvent) => onInput((target as HTMLTextAreaElement).value)}
    ></textarea>
    ${revealHidden(text)} ${fault ? html`<p class="error" id="args-error">${fault}</p>` : nothing}
  </div>`;
}
