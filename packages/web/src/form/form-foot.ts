import { type Answer, describeValue, type Field, type FormSchema } from '@parleyhq/core';
import { html, nothing } from 'lit';
import type { FormInput } from '../browser/draft-store.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** State of a form's foot, and the handlers of its buttons; without a handler a button is not rendered. */
export interface FormFoot {
  readonly form: FormSchema;
  /** Whether no button can be pressed. */
  readonly isIdle: boolean;
  /** Whether the answer cannot be sent yet, because a view has just changed it. */
  readonly isHeld: boolean;
  /** Action that is being sent; empty if there is none. */
  readonly sending: Answer['action'] | '';
  /** Whether the next step submits the form. */
  readonly isLast: boolean;
  /** Whether the form is a single choice that has not been made. */
  readonly isUnchosen: boolean;
  /** Text of the choice that is about to be sent. */
  readonly chosen: string | undefined;
  /** The author's own buttons. */
  readonly own: unknown;
  readonly onCancel: () => void;
  readonly onTakeBack: () => void;
  readonly onNote: (() => void) | undefined;
  readonly onBack: (() => void) | undefined;
}

export const describeChosen = (only: Field | undefined, input: FormInput): string =>
  only ? describeValue(only, input[only.id]) : '';

export function renderFormFoot(foot: FormFoot) {
  const { isIdle, isUnchosen, chosen, own, onNote, onBack } = foot;
  return html`<div class="foot">
    <slot></slot>
    <div class="actions">
      ${chosen === undefined ? renderCancel(foot) : renderTakeBack(chosen, foot)}
      ${onNote ? html`<button type="button" class="plain" ?disabled=${isIdle} @click=${onNote}>Add a note</button>` : nothing}
      <slot name="attach"></slot>
      <span class="grow"></span>
      ${onBack ? html`<button type="button" ?disabled=${isIdle} @click=${onBack}>Back</button>` : nothing}
      ${own} ${isUnchosen ? nothing : renderSubmit(foot)}
    </div>
  </div>`;
}

function renderCancel({ form: { cancelLabel = 'Cancel' }, isIdle, sending, onCancel }: FormFoot) {
  return html`<button type="button" class="plain" ?disabled=${isIdle} @click=${onCancel}>${sending === 'cancel' ? 'Sending …' : renderUntrusted(cancelLabel)}</button>`;
}

/** Renders the button that undoes an answer by a single click, for a moment before it is sent. */
function renderTakeBack(chosen: string, { onTakeBack }: FormFoot) {
  return html`<button type="button" @click=${onTakeBack}>Take it back</button>
    <span class="soon" role="status">Answers ${renderUntrusted(chosen)} …</span>`;
}

function renderSubmit({ form: { submitLabel = 'OK' }, isHeld, sending, isLast }: FormFoot) {
  return html`<button type="submit" class="primary" ?disabled=${isHeld}>
    ${sending === 'submit' ? 'Sending …' : isLast ? renderUntrusted(submitLabel) : 'Next'}
  </button>`;
}
