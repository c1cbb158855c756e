import type { SettingsFile } from './settings-file.ts';

/** The server that a program asks, and its token: the token itself, or as `$NAME` the environment variable that holds it. */
export interface ServerAccess {
  readonly url: string;
  readonly token: string;
}

/** A third-party program that can ask people through this server, once its settings file is set up for it (ASK7). */
export interface AskingProgram {
  readonly name: string;
  /** The user's own settings file. */
  findSettings(env: NodeJS.ProcessEnv): string;
  /** Describes what is added to the settings file, for people to read. */
  describe(door: ServerAccess): string;
  /** Whether the file has no content, like a new file before `connect` adds to it. */
  isBlank(text: string): boolean;
  /** @throws SettingsError if the program itself could not read the file */
  read(file: SettingsFile): ProgramSettings;
}

/** A settings file's connection to this server, and how to change it. */
export interface ProgramSettings {
  /** Distinct tokens with which the program asks; empty if it is not connected. */
  readonly tokens: readonly string[];
  /** Returns the text with this connection in place of an earlier one. @throws SettingsError if it cannot be added */
  connect(door: ServerAccess): string;
  /** Returns the text without the connection. @throws SettingsError if it cannot be removed without changing other settings */
  disconnect(): string;
}

/** Returns the environment variable that a token of the form `$NAME` refers to. */
export function variableOf({ token }: ServerAccess): string | undefined {
  return /^\$(\w+)$/.exec(token)?.[1];
}
