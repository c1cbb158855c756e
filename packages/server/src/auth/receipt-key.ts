import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepKeyFile } from './key-file.ts';

const fileName = 'receipt-key.pem';

/** Opens the private key of a data directory that signs receipts (SIGN3), made when it is first needed. @throws Error */
export function openReceiptKey(dataDir: string): KeyObject {
  const file = join(dataDir, fileName);
  const known = readKey(file);
  if (known) return known;
  const { privateKey } = generateKeyPairSync('ed25519');
  keepKeyFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  return readKey(file) ?? privateKey; // another process may have been first
}

/** Reads a public key that receipts are to be signed by: its PEM text. @throws Error if it is not an Ed25519 key */
export function readPublicKey(pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('It is not an Ed25519 key.');
  return key;
}

/** Returns the public key that belongs to a private one, as PEM. */
export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }).toString();
}

function readKey(file: string): KeyObject | undefined {
  const pem = readPem(file);
  if (pem === undefined) return undefined;
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error(
      `${file} contains no valid key: restore it, or remove it and give the new public key to whoever verifies receipts.`,
      { cause },
    );
  }
}

/** Returns the text of a key file; undefined if there is none. A key that cannot be read now may still be a good one. */
function readPem(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    if ('code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${cause.message}`, { cause });
  }
}
