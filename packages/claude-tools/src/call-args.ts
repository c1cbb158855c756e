type Args = Readonly<Record<string, unknown>>;

/** In characters. People would not read the whole of a longer rule. */
const maxLabelLength = 200;

/** Whether a call has no argument but these. */
export function hasOnly(args: Args, ...names: readonly string[]): boolean {
  return Object.keys(args).every((name) => names.includes(name));
}

/** Whether a call names a file, or appears to. */
export function hasFile(args: Args): boolean {
  return Object.hasOwn(args, 'file_path') || Object.hasOwn(args, 'notebook_path');
}

/** Returns the file that a call names. Undefined if it has both arguments that could name one: its tool heeds only one of them. */
export function filePathOf(args: Args): string | undefined {
  const { file_path: file, notebook_path: notebook } = args;
  const isClear = Object.hasOwn(args, 'file_path') !== Object.hasOwn(args, 'notebook_path');
  const path = file ?? notebook;
  return isClear && typeof path === 'string' ? path : undefined;
}

/**
 * Whether the label of a rule is short, and has no line breaks, no invisible characters and no backtick that would end its
 * quotation.
 */
export function isReadableLabel(label: string): boolean {
  return label.length <= maxLabelLength && !/[\p{C}\p{Zl}\p{Zp}]/u.test(label) && label.split('`').length <= 3;
}
