/** Runs a command, and reports a failure by a message on stderr and the exit code. */
export type Report = (run: () => Promise<void>) => Promise<void>;
