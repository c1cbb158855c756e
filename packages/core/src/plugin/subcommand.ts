import type { Awaitable } from '../basics/awaitable.ts';
import type { AskingProgram, SettingsFile } from './asking-program.ts';

/** A failure of a subcommand with the exit code of the process, from 1 to 255; 2 means wrong usage. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** What follows the name of a subcommand, by position. */
export interface SubcommandArgument {
  readonly name: string;
  readonly summary: string;
  /** Whether it may be left out; only the last one may. Default: false */
  readonly optional?: boolean;
  /** Whether it takes all words that are left, which are then in `rest`, with options after `--`; only the last one may. */
  readonly rest?: boolean;
  readonly choices?: readonly string[];
}

export interface SubcommandOption {
  /** `--force` is a switch, `--region <name>` takes a value. Shells complete `<file>` and `<folder>` as such. */
  readonly flag: string;
  readonly summary: string;
  readonly choices?: readonly string[];
}

/** The server that a subcommand is meant for. */
export interface FoundServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** From `--token` or `PARLEY_TOKEN`; undefined if there is none. */
  readonly token: string | undefined;
  /** From `--token`, `PARLEY_ASK_TOKEN` or `PARLEY_TOKEN`: for what only asks; undefined if there is none. */
  readonly askToken: string | undefined;
  /** Its data directory on this machine, which may not exist if the server runs elsewhere. */
  readonly dataDir: string;
}

/** A WebSocket of a server, as streams of text messages. */
export interface ServerSocket {
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<string>;
  /** Resolves with the close code, 1006 if the connection broke, and the reason in words. Never rejects. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Services for one run of a subcommand. */
export interface SubcommandContext {
  /** Arguments by name, without those left out. */
  readonly args: Readonly<Record<string, string>>;
  /** What an argument with `rest` took. */
  readonly rest: readonly string[];
  /** Options by name, `--dry-run` as `dryRun`: the value as a text, or true for a switch. Without those not given. */
  readonly options: Readonly<Record<string, string | true>>;
  /** Version of the command `parley`. */
  readonly version: string;
  /**
   * Aborts at Ctrl-C, which then does not end the process as long as nobody presses it again. An error that the run throws
   * afterwards exits with 130.
   */
  readonly signal: AbortSignal;
  /** Writes a result to stdout. A terminal gets no control characters. */
  print(text: string): void;
  /** Writes to stderr what is not part of the result. A terminal gets no control characters. */
  report(text: string): void;
  /** Shows a text and asks a question; only an explicit yes is true. Undefined if nobody is at a terminal. */
  confirm(text: string, question: string): Promise<boolean | undefined>;
  /**
   * Finds the server by its settings, flags and variables, and checks that it is the one of its data directory before the token is
   * returned. @throws Error if another program listens there, or a token is set and nothing listens
   */
  findServer(): Promise<FoundServer>;
  /**
   * Opens a socket of a plugin at the server that `findServer` finds, with the token of a person.
   * @param path - absolute
   * @throws Error that says why there is none, in addition to the errors of `findServer`
   */
  openSocket(path: string): Promise<ServerSocket>;
  /**
   * Lets a program ask people: after a yes it creates a token that may only ask, tries the connection and writes both into the
   * program's settings file.
   * @returns the file afterwards; undefined with `--print`, which changes nothing
   */
  connect(program: AskingProgram): Promise<SettingsFile | undefined>;
  /** Removes what `connect` wrote, after a yes, and revokes the token. */
  disconnect(program: AskingProgram): Promise<void>;
}

/**
 * A command of a plugin below `parley`. Help and completion are made from this description; `run` is called only when the command
 * is used.
 */
export interface Subcommand {
  /** The word after `parley`, of letters in lower case, digits and `-`; or `connect` or `disconnect` and a word for a program. */
  readonly name: string;
  /** What it does, in a line of the help. */
  readonly summary: string;
  readonly arguments?: readonly SubcommandArgument[];
  /**
   * In addition to `--host`, `--port`, `--token`, `--data-dir` and `--config`, which find the server, or to those of
   * `parley connect` and `parley disconnect`.
   */
  readonly options?: readonly SubcommandOption[];
  /** Whether it only asks, with `askToken` of the server: then the help of `--token` says so. Default: false */
  readonly asks?: boolean;
  /** Whole command lines, for the help. Default: its name alone */
  readonly examples?: readonly string[];
  /** What its exit codes mean, for the help. Default: 0 done; 2 wrong usage; 1 anything else */
  readonly exitCodes?: string;
  /** The program that a `connect` command is about. `parley doctor` examines those of the plugins that Parley ships. */
  readonly program?: () => Awaitable<AskingProgram>;
  /** A throw is printed to stderr as one line, and exits with the `exitCode` of the error if it has one, otherwise with 1. */
  run(context: SubcommandContext): Awaitable<void>;
}
