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
import { revealHidden } from '../ui/untrusted-text.ts';
import { type Editable, nameOfPart } from './edited-part.ts';

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

/** The arguments with that part as it was typed. @throws SyntaxError where it should be JSON and is none, InexactNumberError */
export function withPart({ editPath = [] }: Editable, args: Json, typed: string): Json {
  const isText = typeof readAt(args, editPath) === 'string';
  return replaceAt(args, editPath, isText ? typed : (parseExactJson(typed) as Json));
}

/** The arguments that an edit comes to, undefined where it changes nothing; or what is wrong with what was typed. */
export interface Edit {
  readonly args?: Json | undefined;
  readonly fault?: string;
}

/** What was typed, as arguments. */
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
