import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { SettingsError } from '@parleyhq/server';

/** The text of a file, or for `-` of stdin. @throws SettingsError */
export async function readInput(flag: string, file: string): Promise<string> {
  try {
    return file === '-' ? await readText(process.stdin) : readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SettingsError(`${flag}: ${file} could not be read: ${(cause as Error).message}`, { cause });
  }
}

/** @throws SettingsError */
export function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SettingsError(`${flag}: this is not JSON: ${(cause as Error).message}`, { cause });
  }
}
