/** Runs a command, and says what went wrong as its exit code and in words. */
export type Report = (run: () => Promise<void>) => Promise<void>;
