import type { Field, Json } from '@parleyhq/core';

/** What draws one field: its value, its fault, and where a change goes. */
export interface FieldContext {
  readonly field: Field;
  /** Unique in the form's shadow root. */
  readonly id: string;
  readonly value: Json | undefined;
  readonly error: string | undefined;
  readonly isDisabled: boolean;
  /** Ids of the texts that describe the control, if there are any. */
  readonly describedBy: string | undefined;
  readonly onInput: (value: Json | undefined) => void;
}
