import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalise } from '@parleyhq/core';
import { fingerprintOf } from '@parleyhq/store-kit';
import * as z from 'zod';
import { type Signer, verifyAssertions } from './receipt-assertion.ts';
import type { Receipt } from './receipt-format.ts';
import { readReceipt } from './receipt-reader.ts';

/**
 * Returns the name of a receipt's format and its version; it is signed, too. Earlier releases wrote version 1, and version 2 for
 * signatures by passkeys (SIGN2), both without the terms. Later versions have other numbers, and this release refuses them.
 */
export function payloadTypeOf({ terms, stepUp }: Pick<Receipt, 'terms' | 'stepUp'>): string {
  const earlier = stepUp ? 2 : 1;
  return nameType(terms ? 3 : earlier);
}

const nameType = (version: number) => `application/vnd.parley.receipt+json; version=${version}`;

const payloadTypes: readonly string[] = [1, 2, 3].map(nameType);

/**
 * A signed receipt: a DSSE envelope (Dead Simple Signing Envelope, version 1), which other programs can verify, too.
 * `publicKey` is for people who compare it with the server's; it proves nothing by itself.
 */
const envelopeSchema = z.strictObject({
  payloadType: z.string(),
  /** The receipt as canonical JSON, in base64. */
  payload: z.base64(),
  signatures: z.tuple([z.strictObject({ keyid: z.string(), sig: z.base64() })]),
  /** Ed25519 key as SPKI, in base64. */
  publicKey: z.base64(),
});

/** A receipt that was verified. */
export interface VerifiedReceipt {
  readonly receipt: Receipt;
  /** Fingerprint of the server's key that signed it. */
  readonly fingerprint: string;
  /** Fingerprints of the passkeys that signed its answers. */
  readonly passkeys: readonly string[];
  /** Who signed which of its answers with a passkey, in order: the others are only what the server states. */
  readonly signers: readonly Signer[];
}

/** Signs a receipt. The same receipt always gives the same text. */
export function signReceipt(receipt: Receipt, privateKey: KeyObject): string {
  const publicKey = createPublicKey(privateKey);
  const payloadType = payloadTypeOf(receipt);
  const payload = Buffer.from(canonicalise(receipt));
  const sig = sign(null, encodeSigned(payloadType, payload), privateKey).toString('base64');
  const envelope: z.infer<typeof envelopeSchema> = {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: fingerprintOfKey(publicKey), sig }],
    publicKey: encodeKey(publicKey).toString('base64'),
  };
  return `${JSON.stringify(envelope, undefined, 2)}\n`;
}

/**
 * Verifies a signed receipt, and what passkeys signed in it, without a server or a store.
 * @param key - the key that must have signed it; without it any key may have, and the caller compares the fingerprint
 * @param wanted - fingerprints of the passkeys that must have signed its answers, what settled it among them, and no other;
 * without them any may have
 * @throws Error that says what is wrong
 */
export async function verifyReceipt(
  text: string,
  key?: KeyObject,
  wanted: readonly string[] = [],
): Promise<VerifiedReceipt> {
  const { signatures, publicKey, ...signed } = readEnvelope(text);
  const [{ keyid, sig }] = signatures;
  const own = readKey(publicKey);
  const fingerprint = fingerprintOfKey(own);
  if (keyid !== fingerprint) throw new Error('Its key id is not that of its key.');
  if (key && fingerprintOfKey(key) !== fingerprint)
    throw new Error(`It was signed by another key: ${fingerprint}, not ${fingerprintOfKey(key)}.`);
  if (!payloadTypes.includes(signed.payloadType))
    throw new Error(`Its format is not known here: ${signed.payloadType}`);
  const payload = decodeExactly(signed.payload);
  if (!verify(null, encodeSigned(signed.payloadType, payload), own, decodeExactly(sig)))
    throw new Error('It was altered: its signature does not match its content.');
  const receipt = readReceipt(payload);
  if (signed.payloadType !== payloadTypeOf(receipt)) throw new Error('It is not what its format says.');
  const signers = await verifyAssertions(receipt);
  const passkeys = [...new Set(signers.map(({ passkey }) => passkey))];
  if (wanted.length > 0) {
    requirePasskeys(passkeys, wanted);
    const isSigned = signers.some(({ seq }) => seq === receipt.settlement.seq);
    if (!isSigned) throw new Error('No passkey signed what settled it.'); // a signed vote does not stand in for that
  }
  return { receipt, fingerprint, passkeys, signers };
}

/** @throws Error if one of the passkeys that are wanted signed nothing, or another one something */
function requirePasskeys(found: readonly string[], wanted: readonly string[]): void {
  const missing = wanted.find((each) => !found.includes(each));
  if (missing !== undefined) throw new Error(`The passkey ${missing} signed no answer in it.`);
  const other = found.find((each) => !wanted.includes(each));
  if (other !== undefined) throw new Error(`The passkey ${other} signed an answer in it, too.`);
}

function readEnvelope(text: string): z.infer<typeof envelopeSchema> {
  const envelope = parseEnvelope(text);
  if (withoutSpace(JSON.stringify(envelope)) !== withoutSpace(text))
    throw new Error('It was altered: it names something twice, or spells a text in another way.');
  return envelope;
}

function parseEnvelope(text: string): z.infer<typeof envelopeSchema> {
  try {
    const value: unknown = JSON.parse(text);
    envelopeSchema.parse(value);
    return value as z.infer<typeof envelopeSchema>; // itself, with its members in their order
  } catch (cause) {
    throw new Error('It is not a receipt of Parley.', { cause });
  }
}

/** White space between members means nothing; what is in the texts is compared byte by byte. */
const withoutSpace = (json: string) => json.replace(/\s/g, '');

function readKey(base64: string): KeyObject {
  const bytes = decodeExactly(base64);
  const key = decodeKey(bytes);
  if (key?.asymmetricKeyType !== 'ed25519') throw new Error('Its key is not an Ed25519 key.');
  if (!encodeKey(key).equals(bytes)) throw new Error('It was altered: its key has bytes that mean nothing.');
  return key;
}

function decodeKey(bytes: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  } catch {
    return undefined; // reported like a key of another kind
  }
}

/** Decodes base64 that has only one spelling: otherwise a receipt could be changed without becoming invalid. */
function decodeExactly(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) throw new Error('It was altered: its base64 is not canonical.');
  return bytes;
}

/** The pre-authentication encoding of DSSE. */
function encodeSigned(type: string, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);
}

function encodeKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function fingerprintOfKey(key: KeyObject): string {
  return fingerprintOf(encodeKey(key));
}
