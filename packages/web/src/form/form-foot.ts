import { type Answer, describeValue, type Field, type FormSchema } from '@parleyhq/core';
import { html, nothing } from 'lit';
import type { FormInput } from '../browser/draft-store.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** How the foot of a form stands, and what its buttons do; a button without a deed is not there. */
export interface FormFoot {
  readonly form: FormSchema;
  /** Nothing can be pressed. */
  readonly isIdle: boolean;
  /** The answer cannot be sent: a view changed it just now. */
  readonly isHeld: boolean;
  /** What is on its way; empty where nothing is. */
  readonly sending: Answer['action'] | '';
  /** The next step is the answer. */
  readonly isLast: boolean;
  /** It is about one choice, and none is made. */
  readonly isUnchosen: boolean;
  /** The choice that is about to be sent, in words. */
  readonly chosen: string | undefined;
  /** The buttons of the author. */
  readonly own: unknown;
  readonly onCancel: () => void;
  readonly onTakeBack: () => void;
  readonly onNote: (() => void) | undefined;
  readonly onBack: (() => void) | undefined;
}

export const describeChosen = (only: Field | undefined, input: FormInput): string =>
  only ? describeValue(only, input[only.id]) : '';

export function renderFormFoot(foot: FormFoot) {
  const { isIdle, chosen, own, onNote, onBack } = foot;
  return html`<div class="foot">
    <slot></slot>
    <div class="actions">
      ${chosen === undefined ? renderCancel(foot) : renderTakeBack(chosen, foot)}
      ${onNote ? html`<button type="button" class="plain" ?disabled=${isIdle} @click=${onNote}>Add a note</button>` : nothing}
      <span class="grow"></span>
      ${onBack ? html`<button type="button" ?disabled=${isIdle} @click=${onBack}>Back</button>` : nothing}
      ${own} ${foot.isUnchosen ? nothing : renderSubmit(foot)}
    </div>
  </div>`;
}

function renderCancel({ form: { cancelLabel = 'Cancel' }, isIdle, sending, onCancel }: FormFoot) {
  return html`<button type="button" class="plain" ?disabled=${isIdle} @click=${onCancel}>${sending === 'cancel' ? 'Sending …' : renderUntrusted(cancelLabel)}</button>`;
}

/** The answer that one press gave can be taken back for a moment. */
function renderTakeBack(chosen: string, { onTakeBack }: FormFoot) {
  return html`<button type="button" @click=${onTakeBack}>Take it back</button>
    <span class="soon" role="status">Answers ${renderUntrusted(chosen)} …</span>`;
}

function renderSubmit({ form: { submitLabel = 'OK' }, isHeld, sending, isLast }: FormFoot) {
  return html`<button type="submit" class="primary" ?disabled=${isHeld}>
    ${sending === 'submit' ? 'Sending …' : isLast ? renderUntrusted(submitLabel) : 'Next'}
  </button>`;
}
