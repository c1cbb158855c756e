import {
  canonicalise,
  InexactNumberError,
  type InteractionRequest,
  type Json,
  parseExactJson,
  readAt,
  replaceAt,
} from '@parleyhq/core';
import { html, nothing } from 'lit';
import { revealHidden } from '../ui/revealed-text.ts';
import { type Editable, nameOfPart } from './edited-part.ts';

interface Editor {
  readonly text: string;
  /** Error message for the text. */
  readonly fault: string | undefined;
  readonly isDisabled: boolean;
  readonly onInput: (text: string) => void;
}

/** Renders the editor for the arguments of a call, or for the part of them that may be edited. */
export function renderEditor(request: InteractionRequest, { text, fault, isDisabled, onInput }: Editor) {
  return html`<div class="field">
    <label for="args">The ${nameOfPart(request)} (what you see here is what runs)</label>
    <textarea
      id="args"
      class="args ${request.editPath && request.subject?.kind === 'command' ? 'text' : ''}"
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

/**
 * Returns the arguments with the edited part. @throws SyntaxError if the part should be JSON and is not valid, InexactNumberError
 */
export function withPart({ editPath = [] }: Editable, args: Json, typed: string): Json {
  const isText = typeof readAt(args, editPath) === 'string';
  return replaceAt(args, editPath, isText ? typed : (parseExactJson(typed) as Json));
}

/** Result of an edit: the new arguments, undefined if nothing changed; or an error message for what was typed. */
export interface Edit {
  readonly args?: Json | undefined;
  readonly fault?: string;
}

/** Parses what was typed. */
export function readEdit(request: Editable, given: Json | undefined, typed: string): Edit {
  const args = given ?? null;
  try {
    const value = withPart(request, args, typed);
    return { args: canonicalise(value) === canonicalise(args) ? undefined : value };
  } catch (error) {
    if (!(error instanceof InexactNumberError)) return { fault: 'This is not valid JSON.' };
    return { fault: `This cannot run as it is written: ${error.message}.` };
  }
}
