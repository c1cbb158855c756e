import type { Field, Json } from '@parleyhq/core';

/** What rendering one field needs. */
export interface FieldContext {
  readonly field: Field;
  /** Unique in the form's shadow root. */
  readonly id: string;
  readonly value: Json | undefined;
  readonly error: string | undefined;
  readonly isDisabled: boolean;
  /** Whether the value has or had several lines; then they are all shown, even if the field is meant for one. */
  readonly isLined?: boolean;
  /** The prompt that files are uploaded for (PLG13); without one, they are for a message (REV6). */
  readonly place: { readonly sessionId: string; readonly interactionId?: string };
  /** Accessible name of a control without a label of its own. */
  readonly name?: string;
  /** Whether the card already asks the question. The field's label is then for screen readers only. */
  readonly isBare?: boolean;
  /** Ids of the elements that describe the control, for `aria-describedby`. */
  readonly describedBy: string | undefined;
  readonly onInput: (value: Json | undefined) => void;
}
