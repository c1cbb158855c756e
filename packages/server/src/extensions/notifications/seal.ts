import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs values that are handed out and come back; nobody else can make one. */
export class Seal {
  readonly #key: Buffer;

  /** @param key - in base64url */
  constructor(key: string) {
    this.#key = Buffer.from(key, 'base64url');
  }

  close(value: object): string {
    const body = Buffer.from(JSON.stringify(value)).toString('base64url');
    return this.#seal(body);
  }

  /** Verifies and decodes a token. Undefined if it was not signed here. */
  open(token: string): unknown {
    const [body = ''] = token.split('.', 1);
    const given = Buffer.from(token);
    // compared as text: base64 has several spellings of the same bytes, but a token has only one
    const wanted = Buffer.from(this.#seal(body));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString());
  }

  #seal(body: string): string {
    return `${body}.${createHmac('sha256', this.#key).update(body).digest('base64url')}`;
  }
}
