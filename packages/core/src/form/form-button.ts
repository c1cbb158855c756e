import * as z from 'zod/mini';

const buttonId = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, { error: 'is not a valid id' }));

/** More buttons would turn the form's footer into a menu. */
const maxButtons = 6;

/** A custom button of an input, in addition to submit and cancel (PLG11). */
const formButton = z.object({
  /** Value of `button` in the answer. */
  id: buttonId,
  label: z.string().check(z.trim(), z.minLength(1), z.maxLength(80)),
  /** Whether the answer includes what was typed so far: valid values only, and missing ones are allowed. */
  keepsInput: z.optional(z.boolean()),
});

export type FormButton = z.infer<typeof formButton>;

/** Schema of a request's `actions`. */
export const formButtonsSchema = z.array(formButton).check(
  z.minLength(1),
  z.maxLength(maxButtons),
  z.refine((buttons) => new Set(buttons.map(({ id }) => id)).size === buttons.length, {
    error: 'has two buttons of one id',
  }),
);

/** Returns the button of a request that an answer names. */
export function findButton(
  { actions }: { readonly actions?: readonly FormButton[] | undefined },
  id: string | undefined,
): FormButton | undefined {
  return actions?.find((button) => button.id === id);
}
