import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { awaitFirst, LocalHttp } from '@parleyhq/server/testing';

export interface PushedMessage {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly data: Record<string, unknown> & { readonly type: string };
}

/** The browser's side of one subscription: its keys, and messages that only it can decrypt. */
class Browser {
  readonly #keys: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly endpoint: string;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    this.#keys.generateKeys();
  }

  /** The value that a page passes to its server: `PushSubscription.toJSON()`. */
  get subscription() {
    return {
      endpoint: this.endpoint,
      keys: { p256dh: this.#keys.getPublicKey('base64url'), auth: this.#auth.toString('base64url') },
    };
  }

  /** Decrypts a message by RFC 8291: one record of aes128gcm (RFC 8188). */
  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const recordSize = body.readUInt32BE(16);
    const idLength = body.readUInt8(20);
    const theirKey = body.subarray(21, 21 + idLength);
    const record = body.subarray(21 + idLength);
    if (record.length > recordSize) throw new Error('more than one record');
    const shared = this.#keys.computeSecret(theirKey);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#keys.getPublicKey(), theirKey]);
    const secret = Buffer.from(hkdfSync('sha256', shared, this.#auth, info, 32));
    const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
    const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = padded.lastIndexOf(2); // the delimiter of the last record; padding follows
    if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no end of the record');
    return padded.subarray(0, end).toString();
  }
}

/** A push service that checks requests against the standards, and decrypts them with the browsers' keys. */
export class PushService extends LocalHttp {
  readonly messages: PushedMessage[] = [];
  /** Reasons for refused requests. */
  readonly faults: string[] = [];
  /** Status of the response to valid requests. */
  status = 201;
  #onRequest: (() => Promise<void>) | undefined;
  readonly #browsers = new Map<string, Browser>();

  subscribe(): Browser {
    const path = `/push/${randomBytes(8).toString('hex')}`;
    const browser = new Browser(this.origin + path);
    this.#browsers.set(path, browser);
    return browser;
  }

  /** Delays every response until the promise resolves. */
  holdUntil(held: Promise<void>): void {
    this.#onRequest = () => held;
  }

  /** Waits for the first message that is accepted. */
  message(accepts: (message: PushedMessage) => boolean = () => true): Promise<PushedMessage> {
    return awaitFirst(this.messages, accepts, this.faults);
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await buffer(request);
      const browser = this.#browsers.get(request.url ?? '');
      if (!browser) throw new Error('no such subscription');
      this.#check(request);
      const data = JSON.parse(browser.decrypt(body));
      this.messages.push({ path: request.url ?? '', headers: request.headers, data });
      await this.#onRequest?.();
      response.writeHead(this.status).end();
    } catch (error) {
      this.faults.push(String(error));
      response.writeHead(400).end();
    }
  }

  /** Checks a request against RFC 8030 and RFC 8292. */
  #check({ method, headers }: IncomingMessage): void {
    if (method !== 'POST') throw new Error(`method ${method}`);
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error(`encoding ${headers['content-encoding']}`);
    if (!/^\d+$/.test(String(headers.ttl))) throw new Error(`ttl ${headers.ttl}`);
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(String(headers.topic))) throw new Error(`topic ${headers.topic}`);
    const { t, k } = /^vapid t=(?<t>[^,]+), ?k=(?<k>.+)$/.exec(headers.authorization ?? '')?.groups ?? {};
    if (t === undefined || k === undefined) throw new Error(`authorization ${headers.authorization}`);
    const [head = '', claims = '', signature = ''] = t.split('.');
    const input = { key: toPublicKey(k), dsaEncoding: 'ieee-p1363' } as const;
    if (!verify('sha256', Buffer.from(`${head}.${claims}`), input, Buffer.from(signature, 'base64url')))
      throw new Error('a signature of somebody else');
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const left = exp - Date.now() / 1000;
    if (aud !== this.origin || left <= 0 || left > 24 * 3600 || !/^(mailto:|https:)/.test(sub))
      throw new Error(`claims ${claims}`);
  }
}

function toPublicKey(key: string): KeyObject {
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}
