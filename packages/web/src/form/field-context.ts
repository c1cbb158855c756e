import type { Field, Json } from '@parleyhq/core';

/** What rendering one field needs. */
export interface FieldContext {
  readonly field: Field;
  /** Unique in the form's shadow root. */
  readonly id: string;
  readonly value: Json | undefined;
  readonly error: string | undefined;
  readonly isDisabled: boolean;
  /** The value has or had several lines: they are shown, also where the field is meant for one. */
  readonly isLined?: boolean;
  /** The prompt, as files for it are uploaded to (PLG13). */
  readonly place: { readonly sessionId: string; readonly interactionId: string };
  /** What the control is called, where no label of its own says so. */
  readonly name?: string;
  /** The card asks the question already: the field's own words are for who cannot see that. */
  readonly isBare?: boolean;
  /** Ids of the elements that describe the control, for `aria-describedby`. */
  readonly describedBy: string | undefined;
  readonly onInput: (value: Json | undefined) => void;
}
