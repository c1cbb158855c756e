import { defaultPrompt, type InteractionType, type Subject } from './interaction.ts';

/** Code of Markdown between words. */
const marked = /\B`([^`]+)`\B/g;

/** A title with what it is the title of. */
interface Titled {
  readonly title?: string | undefined;
  readonly subject?: Subject | undefined;
}

/**
 * Returns a title as people read it: titles are plain text, so the marks that a program sets around code are left out. Marks that the
 * subject contains as well are kept, because they belong to a command.
 */
export function titleOf({ title, subject }: Titled): string | undefined {
  return title?.replace(marked, (whole, code) => (subject?.text.includes(whole) ? whole : code));
}

/** Returns the line that names a prompt. */
export function headingOf(
  request: Titled & {
    readonly prompt?: string | undefined;
    readonly toolName: string;
    readonly interactionType: InteractionType;
  },
): string {
  return titleOf(request) ?? request.prompt ?? defaultPrompt(request);
}
