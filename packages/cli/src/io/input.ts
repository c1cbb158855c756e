import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { InexactNumberError, parseExactJson } from '@parleyhq/core';
import { SettingsError } from '@parleyhq/server';
import { decodeText } from './plain-text.ts';

/** Reads a file, or stdin for `-`. @throws SettingsError */
export async function readInput(flag: string, file: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = file === '-' ? await buffer(process.stdin) : readFileSync(file);
  } catch (cause) {
    throw new SettingsError(`${flag}: ${file} could not be read: ${(cause as Error).message}`, { cause });
  }
  return decodeText(bytes, `${flag}: ${file === '-' ? 'stdin' : file}`);
}

/** Parses JSON. @throws SettingsError, also for a number that JavaScript cannot represent exactly */
export function parseJson(flag: string, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (cause) {
    if (cause instanceof InexactNumberError) throw new SettingsError(`${flag}: ${cause.message}`, { cause });
    throw new SettingsError(`${flag}: this is not JSON: ${(cause as Error).message}`, { cause });
  }
}
