import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { isRecord, type Json } from '@parleyhq/core';

/** All zero: each key encrypts one text. */
const nonce = Buffer.alloc(12);
const tagLength = 16;

/**
 * Passes secrets to another node through a database that must not know them (INT17, OPS4). Each node has a key pair that lives
 * in its memory and no longer than its process; what is sealed to it nobody else can open, and nobody at all once it has ended.
 */
export class Sealing {
  readonly #own = generateKeyPairSync('x25519');
  #publicKeys: ReadonlyMap<string, string> = new Map();

  /** What others seal to. */
  get publicKey(): string {
    return encode(this.#own.publicKey);
  }

  /** @param publicKeys - of the nodes that live, by their ids */
  meet(publicKeys: ReadonlyMap<string, string>): void {
    this.#publicKeys = publicKeys;
  }

  /**
   * @param place - what it is for: it opens for nothing else
   * @returns undefined where no such node lives
   */
  seal(node: string, value: Json, place: string): Json | undefined {
    const wanted = this.#publicKeys.get(node);
    if (wanted === undefined) return undefined;
    const publicKey = createPublicKey({ key: Buffer.from(wanted, 'base64url'), type: 'spki', format: 'der' });
    const once = generateKeyPairSync('x25519');
    const from = encode(once.publicKey);
    const key = deriveKey(diffieHellman({ privateKey: once.privateKey, publicKey }), from, wanted);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
    const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()]);
    return { from, text: text.toString('base64url') };
  }

  /** @returns undefined for what was not sealed to this process for this place */
  open(sealed: unknown, place: string): Json | undefined {
    if (!isRecord(sealed)) return undefined;
    try {
      const from = String(sealed.from);
      const publicKey = createPublicKey({ key: Buffer.from(from, 'base64url'), type: 'spki', format: 'der' });
      const secret = diffieHellman({ privateKey: this.#own.privateKey, publicKey });
      const bytes = Buffer.from(String(sealed.text), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, from, this.publicKey), nonce)
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-tagLength));
      return JSON.parse(
        `${decipher.update(bytes.subarray(0, -tagLength), undefined, 'utf8')}${decipher.final('utf8')}`,
      );
    } catch {
      return undefined; // sealed to a process that has ended, or damaged: there is no difference to see
    }
  }
}

function encode(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64url');
}

function deriveKey(secret: Buffer, from: string, to: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, `${from} ${to}`, 'parley sealed secret', 32));
}
