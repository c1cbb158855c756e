import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { InexactNumberError, parseExactJson } from '@parleyhq/core';
import { SettingsError } from '@parleyhq/server';

/** The text of a file, or for `-` of stdin. @throws SettingsError */
export async function readInput(flag: string, file: string): Promise<string> {
  try {
    return file === '-' ? await readText(process.stdin) : readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SettingsError(`${flag}: ${file} could not be read: ${(cause as Error).message}`, { cause });
  }
}

/** @throws SettingsError, also for a number that would be another one afterwards */
export function parseJson(flag: string, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (cause) {
    if (cause instanceof InexactNumberError) throw new SettingsError(`${flag}: ${cause.message}`, { cause });
    throw new SettingsError(`${flag}: this is not JSON: ${(cause as Error).message}`, { cause });
  }
}
