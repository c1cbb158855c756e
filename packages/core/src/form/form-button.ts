import * as z from 'zod/mini';

const buttonId = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, { error: 'is no valid id' }));

/** More than these make a menu of the foot of a form. */
const maxButtons = 6;

/** A button of an input's author, beside those that submit and cancel (PLG11). */
const formButton = z.object({
  /** What the answer names as its `button`. */
  id: buttonId,
  label: z.string().check(z.trim(), z.minLength(1), z.maxLength(80)),
  /** Whether the answer brings what was typed so far: each value that fits, none that is missing. */
  keepsInput: z.optional(z.boolean()),
});

export type FormButton = z.infer<typeof formButton>;

/** The `actions` of a request. */
export const formButtonsSchema = z.array(formButton).check(
  z.minLength(1),
  z.maxLength(maxButtons),
  z.refine((buttons) => new Set(buttons.map(({ id }) => id)).size === buttons.length, {
    error: 'has two buttons of one id',
  }),
);

/** The button of a request that an answer names. */
export function findButton(
  { actions }: { readonly actions?: readonly FormButton[] | undefined },
  id: string | undefined,
): FormButton | undefined {
  return actions?.find((button) => button.id === id);
}
