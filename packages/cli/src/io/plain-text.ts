import { SettingsError } from '@parleyhq/server';

/**
 * The text of bytes that somebody gave, without the mark that some programs put before UTF-8. What is shown must be what was meant: another encoding
 * would become signs that nobody wrote.
 * @param name - the file or flag, for the words of an error
 * @throws SettingsError where it is not UTF-8, or has NULs as only other encodings and binary files do
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const decode = makeDecoder(name);
  return decode(bytes) + decode();
}

/** The same for bytes that come bit by bit. @throws SettingsError */
export async function* decodeStream(source: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decode = makeDecoder(name);
  for await (const bytes of source) yield decode(bytes);
  yield decode();
}

/** The lines of stdin, without their ends. @throws SettingsError */
export async function* readLines(): AsyncGenerator<string> {
  let rest = '';
  for await (const text of decodeStream(process.stdin, 'stdin')) {
    const [first = '', ...others] = text.split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  if (rest !== '') yield rest;
}

function makeDecoder(name: string): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (bytes) => {
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new SettingsError(`${name} is not UTF-8: convert it first, for instance with iconv.`, { cause });
    }
    if (text.includes('\0')) throw new SettingsError(`${name} is not UTF-8 text: it has NUL characters.`);
    return text;
  };
}
