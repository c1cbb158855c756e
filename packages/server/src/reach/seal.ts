import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs what is handed out and comes back: nobody else can make one. */
export class Seal {
  readonly #key: Buffer;

  /** @param key - in base64url */
  constructor(key: string) {
    this.#key = Buffer.from(key, 'base64url');
  }

  close(value: object): string {
    const body = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${body}.${this.#sign(body).toString('base64url')}`;
  }

  /** Undefined for what was not made here. */
  open(token: string): unknown {
    const [body = '', signature = '', ...rest] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    const wanted = this.#sign(body);
    if (rest.length > 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString());
  }

  #sign(body: string): Buffer {
    return createHmac('sha256', this.#key).update(body).digest();
  }
}
