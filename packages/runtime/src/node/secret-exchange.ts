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
import { Replicated } from './replicated.ts';

/** All zero, because each key encrypts only one text. */
const nonce = Buffer.alloc(12);
const tagLength = 16;

/**
 * Passes secrets to another node through a database that must not know them (INT17). Each node has a key pair that exists
 * only in the memory of its process: nobody else can open what is sealed for it, and nobody at all once it has ended.
 */
export class SecretExchange {
  readonly #own = generateKeyPairSync('x25519');
  /** Public keys of all nodes. */
  readonly publicKeys = new Replicated('publicKey', () => encode(this.#own.publicKey));

  /**
   * Seals a value for a node.
   * @param place - the context that it can be opened in
   * @returns undefined if no such node is alive
   */
  seal(node: string, value: Json, place: string): Json | undefined {
    const wanted = this.publicKeys.at(node);
    if (wanted === undefined) return undefined;
    const publicKey = createPublicKey({ key: Buffer.from(wanted, 'base64url'), type: 'spki', format: 'der' });
    const once = generateKeyPairSync('x25519');
    const from = encode(once.publicKey);
    const key = deriveKey(diffieHellman({ privateKey: once.privateKey, publicKey }), from, wanted);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
    const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()]);
    return { from, text: text.toString('base64url') };
  }

  /** Opens a sealed value. @returns undefined if it was not sealed for this process and this `place` */
  open(sealed: unknown, place: string): Json | undefined {
    if (!isRecord(sealed)) return undefined;
    try {
      const from = String(sealed.from);
      const publicKey = createPublicKey({ key: Buffer.from(from, 'base64url'), type: 'spki', format: 'der' });
      const secret = diffieHellman({ privateKey: this.#own.privateKey, publicKey });
      const bytes = Buffer.from(String(sealed.text), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, from, encode(this.#own.publicKey)), nonce)
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-tagLength));
      return JSON.parse(
        `${decipher.update(bytes.subarray(0, -tagLength), undefined, 'utf8')}${decipher.final('utf8')}`,
      );
    } catch {
      return undefined; // sealed for a process that has ended, or damaged: these cannot be distinguished
    }
  }
}

function encode(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64url');
}

function deriveKey(secret: Buffer, from: string, to: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, `${from} ${to}`, 'parley sealed secret', 32));
}
