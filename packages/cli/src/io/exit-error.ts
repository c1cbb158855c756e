/** A failure with an exit code of its own. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
