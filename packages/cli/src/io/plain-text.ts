import { SettingsError } from '@parleyhq/server';

/**
 * Decodes UTF-8, without a byte order mark. Other encodings are rejected rather than shown as characters that nobody wrote.
 * @param name - the file or flag, for error messages
 * @throws SettingsError if it is not UTF-8, or has NUL characters, which occur only in other encodings and binary files
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const decode = makeDecoder(name);
  return decode(bytes) + decode();
}

/** Like `decodeText`, for bytes that arrive in chunks. @throws SettingsError */
export async function* decodeStream(source: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decode = makeDecoder(name);
  for await (const bytes of source) yield decode(bytes);
  yield decode();
}

/** Yields the lines of stdin, without line endings. @throws SettingsError */
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
