import { createECDH, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@parleyhq/core';
import * as z from 'zod';
import { keepKeyFile } from '../../auth/key-file.ts';

const keysSchema = z.preprocess(
  readEarlier,
  z.object({
    /** Key pair that identifies this server to push services (RFC 8292), in base64url. */
    publicKey: z.string(),
    privateKey: z.string(),
    /** Key that signs what comes back: buttons of notifications, one-time links, addresses of callbacks. */
    sealKey: z.string(),
  }),
);

/** Converts a file of an older release, which names the key `buttonKey`. */
function readEarlier(value: unknown): unknown {
  if (!isRecord(value) || !('buttonKey' in value)) return value;
  const { buttonKey, ...rest } = value;
  return { sealKey: buttonKey, ...rest };
}

export type PushKeys = z.infer<typeof keysSchema>;

const fileName = 'push-keys.json';

/**
 * Opens the keys of a data directory, made at its first start (NTF2): without them every subscription would be lost. @throws
 * Error
 */
export function openPushKeys(dataDir: string): PushKeys {
  const file = join(dataDir, fileName);
  return readKeys(file) ?? keep(file, makePushKeys());
}

/** Makes new keys, for example for a server without a data directory. */
export function makePushKeys(): PushKeys {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const privateKey = Buffer.alloc(32);
  const scalar = pair.getPrivateKey();
  scalar.copy(privateKey, 32 - scalar.length); // it lacks leading zeros
  return {
    publicKey: pair.getPublicKey('base64url', 'uncompressed'),
    privateKey: privateKey.toString('base64url'),
    sealKey: randomBytes(32).toString('base64url'),
  };
}

function readKeys(file: string): PushKeys | undefined {
  try {
    return keysSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Error(`${file} contains no valid keys: restore it, or remove it and let every device subscribe again.`, {
      cause,
    });
  }
}

function keep(file: string, keys: PushKeys): PushKeys {
  keepKeyFile(file, `${JSON.stringify(keys)}\n`);
  return readKeys(file) ?? keys;
}
