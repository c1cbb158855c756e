import type { SettingsFile } from './settings-file.ts';

/** Where a program asks, and as whom: a token, or the variable of its environment that holds one, as `$NAME`. */
export interface Door {
  readonly url: string;
  readonly token: string;
}

/** A program of somebody else's that can ask here, once its settings file says so (ASK7). */
export interface AskingProgram {
  readonly name: string;
  /** The user's own settings file. */
  findSettings(env: NodeJS.ProcessEnv): string;
  /** What is added to the settings file, as people read it. */
  describe(door: Door): string;
  /** A file that says nothing, as a new one does before `connect` adds to it. */
  isBlank(text: string): boolean;
  /** @throws SettingsError where the program itself could not read the file */
  read(file: SettingsFile): ProgramSettings;
}

/** What a settings file says of asking here. */
export interface ProgramSettings {
  /** With which it asks, each once. None where it does not ask here. */
  readonly tokens: readonly string[];
  /** The text with a connection to this door, in place of an earlier one. @throws SettingsError where it has no place for it */
  connect(door: Door): string;
  /** The text without. @throws SettingsError where it could not be taken out alone */
  disconnect(): string;
}

/** The name of the variable that a token stands for. */
export function variableOf({ token }: Door): string | undefined {
  return /^\$(\w+)$/.exec(token)?.[1];
}
