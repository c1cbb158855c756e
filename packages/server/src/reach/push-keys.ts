import { createECDH, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@parleyhq/core';
import * as z from 'zod';

const keysSchema = z.preprocess(
  readEarlier,
  z.object({
    /** The pair that push services know this server by (RFC 8292), in base64url. */
    publicKey: z.string(),
    privateKey: z.string(),
    /** Signs what comes back: buttons of notifications, one-time links, addresses of callbacks. */
    sealKey: z.string(),
  }),
);

/** A file of before has it as `buttonKey`. */
function readEarlier(value: unknown): unknown {
  if (!isRecord(value) || !('buttonKey' in value)) return value;
  const { buttonKey, ...rest } = value;
  return { sealKey: buttonKey, ...rest };
}

export type PushKeys = z.infer<typeof keysSchema>;

const fileName = 'push-keys.json';

/** The keys of a data directory, made at its first start (NTF2): without them every subscription would be lost. @throws Error */
export function openPushKeys(dataDir: string): PushKeys {
  const file = join(dataDir, fileName);
  return readKeys(file) ?? keep(file, makePushKeys());
}

/** New keys, as for a server that ends with its process. */
export function makePushKeys(): PushKeys {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const privateKey = Buffer.alloc(32);
  const scalar = pair.getPrivateKey();
  scalar.copy(privateKey, 32 - scalar.length); // leading zeros are left out of it
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
    throw new Error(`${file} holds no keys: restore it, or remove it and let every device subscribe again.`, { cause });
  }
}

/** Whole or not at all: another process may read it at any time, and the machine may stop. */
function keep(file: string, keys: PushKeys): PushKeys {
  mkdirSync(join(file, '..'), { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify(keys)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(draft, file); // fails where there is one by now
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKeys(file) ?? keys;
}
