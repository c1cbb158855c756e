import type { Awaitable } from '../basics/awaitable.ts';

/** The server that a program asks, and its token. */
export interface ServerAccess {
  /** Without a slash at its end. */
  readonly url: string;
  /** The token itself, or `$` and the name in `variable`. */
  readonly token: string;
  /** The environment variable that holds the token, if the settings file should name that instead. */
  readonly variable?: string;
}

/** The settings file of another program, as it was read. */
export interface SettingsFile {
  /** With links resolved. */
  readonly path: string;
  /** Undefined if there is no such file. */
  readonly text: string | undefined;
  /** Writes the file atomically, readable only by its owner. @throws Error if the file was changed since it was read */
  write(text: string): void;
}

/** A program that can ask people through a server once its settings file is set up for it (ASK7). */
export interface AskingProgram {
  /** As people know it. */
  readonly name: string;
  /** The command that starts it, and prints its version for `--version`. */
  readonly command: string;
  /** The oldest version that can ask, such as `2.1.89`, if older ones cannot. */
  readonly oldest?: string;
  /** Returns the path of the user's own settings file. */
  findSettings(env: Readonly<Record<string, string | undefined>>): string;
  /** Returns the paths of the settings files that apply as well if it is started in this folder. Default: none */
  findOthers?(folder: string): readonly string[];
  /** Describes what is added to the settings file, for people to read. */
  describe(access: ServerAccess): string;
  /** What people are then asked about, for whoever has to agree. */
  readonly about?: string;
  /** Whether sessions that run already follow a change of the file; otherwise only those that start later do. Default: false */
  readonly readsChanges?: boolean;
  /** @throws ExitError 2 if the program itself could not read the file */
  read(file: Pick<SettingsFile, 'path' | 'text'>): ProgramSettings;
  /**
   * Finds what only the program itself knows about its settings, for `parley doctor`: it may be run, for a few seconds and without
   * output. Not called if the program is not connected.
   */
  examine?(file: Pick<SettingsFile, 'path' | 'text'>): Promise<ProgramExamination>;
}

/** What an examination of a connected program found, one sentence each. */
export interface ProgramExamination {
  /** What keeps it from asking. */
  readonly faults: readonly string[];
  /** What could not be found out. */
  readonly notes: readonly string[];
}

/** A settings file's connection to a server, and how to change it. */
export interface ProgramSettings {
  /** Distinct tokens with which the program asks; empty if it is not connected. */
  readonly tokens: readonly string[];
  /** Addresses of the servers that it asks. */
  readonly urls?: readonly string[];
  /** What in the file keeps a connected program from asking, one sentence each. */
  readonly faults?: readonly string[];
  /** The mode in which the program starts and that decides what it asks, if the file names one. */
  readonly mode?: string | undefined;
  /** Returns the text with this connection in place of an earlier one. @throws ExitError 2 if it cannot be added */
  connect(access: ServerAccess): string;
  /**
   * Returns the text without the connection: the text itself if there is none, and undefined if `connect` made the file and
   * nothing else is in it.
   * @throws ExitError 2 if it cannot be removed without changing other settings
   */
  disconnect(): Awaitable<string | undefined>;
}
