import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  type Answer,
  type Assertion,
  type ChallengeVersion,
  challengeText,
  type InteractionRequest,
  signedAnswer,
  termsOf,
} from '@parleyhq/core';

export interface SigningOptions {
  /** Whether it verifies the person. Default: true */
  readonly verifies?: boolean;
  readonly origin?: string;
  /** More that the browser states about the page, such as `crossOrigin`. */
  readonly client?: object;
  /** Version of the challenge of an answer. Default: the current one */
  readonly v?: ChallengeVersion;
}

/** An authenticator with one passkey for one site: what it returns is what a real one would. */
export class Authenticator {
  readonly origin: string;
  readonly #id = randomBytes(16);
  readonly #privateKey: KeyObject;
  readonly #publicKey: Buffer;
  readonly #digest: string | undefined;
  counter = 0;

  /**
   * @param origin - such as http://localhost:7420
   * @param isTypeLast - whether the type of the key is the last member of what describes the key, instead of the first
   */
  constructor(origin: string, algorithm: keyof typeof algorithms = 'ES256', isTypeLast = false) {
    this.origin = origin;
    const { make, digest, members } = algorithms[algorithm];
    const { privateKey, publicKey } = make();
    this.#privateKey = privateKey;
    this.#digest = digest;
    const [type = '', ...others] = members(publicKey.export({ format: 'jwk' }));
    const ordered = isTypeLast ? [...others, type] : [type, ...others];
    this.#publicKey = Buffer.from([`a${ordered.length}`, ...ordered].join(''), 'hex');
  }

  get id(): string {
    return this.#id.toString('base64url');
  }

  get publicKey(): string {
    return this.#publicKey.toString('base64url');
  }

  /** Makes the passkey for a challenge. */
  register(challenge: string, client: object = {}) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const data = Buffer.concat([this.#data(0x45), Buffer.alloc(16), length, this.#id, this.#publicKey]);
    // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
    const attestation = Buffer.concat([
      ...[Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])],
      ...[text('authData'), Buffer.from(bytes(data), 'hex')],
    ]);
    const clientDataJSON = this.#clientData('webauthn.create', challenge, this.origin, client);
    return {
      id: this.id,
      response: {
        clientDataJSON: clientDataJSON.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      },
    };
  }

  /** Signs a challenge. */
  sign(challenge: string, { verifies = true, origin = this.origin, client: more }: SigningOptions = {}): Assertion {
    this.counter += 1;
    const data = this.#data(verifies ? 0x05 : 0x01);
    const client = this.#clientData('webauthn.get', challenge, origin, more);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return {
      id: this.id,
      response: {
        authenticatorData: data.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        signature: sign(this.#digest, signed, this.#privateKey).toString('base64url'),
      },
    };
  }

  /** Signs a person's answer to a prompt. @returns the members of the frame that answers with it */
  signAnswer(
    { sessionId, person, answerId }: { sessionId: string; person: string; answerId: string },
    request: InteractionRequest,
    answer: Answer,
    options?: SigningOptions,
  ) {
    const { interactionId, digest } = request;
    const identity = { sessionId, interactionId, digest, terms: termsOf(request), answerId, person };
    const text = challengeText(identity, signedAnswer(request, answer), options?.v);
    const challenge = createHash('sha256').update(text).digest('base64url');
    return { ...answer, answerId, digest, assertion: this.sign(challenge, options) };
  }

  #data(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const site = createHash('sha256').update(new URL(this.origin).hostname).digest();
    return Buffer.concat([site, Buffer.from([flags]), counter]);
  }

  #clientData(type: string, challenge: string, origin: string, more: object = {}): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }));
  }
}

/** Bytes in CBOR, in hex. */
function bytes(content: Buffer): string {
  const [type, width] = content.length < 256 ? ['58', 2] : ['59', 4];
  const size = content.length.toString(16).padStart(width, '0');
  return `${content.length < 24 ? `4${size[1]}` : type + size}${content.toString('hex')}`;
}

const encode = (base64url = '') => bytes(Buffer.from(base64url, 'base64url'));

/** How keys are made, and described as COSE: the members of a CBOR map, in hex. */
const algorithms = {
  // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  ES256: {
    make: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    digest: 'sha256',
    members: ({ x, y }: JsonWebKey) => ['0102', '0326', '2001', `21${encode(x)}`, `22${encode(y)}`],
  },
  // {1: 2, 3: -36, -1: 3, -2: x, -3: y}
  ES512: {
    make: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    digest: 'sha512',
    members: ({ x, y }: JsonWebKey) => ['0102', '033823', '2003', `21${encode(x)}`, `22${encode(y)}`],
  },
  // {1: 1, 3: -8, -1: 6, -2: x}
  EdDSA: {
    make: () => generateKeyPairSync('ed25519'),
    digest: undefined,
    members: ({ x }: JsonWebKey) => ['0101', '0327', '2006', `21${encode(x)}`],
  },
  // {1: 3, 3: -257, -1: n, -2: e}
  RS256: {
    make: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    digest: 'sha256',
    members: ({ n, e }: JsonWebKey) => ['0103', '03390100', `20${encode(n)}`, `21${encode(e)}`],
  },
} as const;

/** A short text in CBOR. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

/** Spells the length of an elliptic signature in the longer form, which is not DER, although many programs read it. */
export function respell(signature: string): string {
  const der = Buffer.from(signature, 'base64url');
  return Buffer.concat([Buffer.from([0x30, 0x81]), der.subarray(1)]).toString('base64url');
}

/** Requests as a page of a server sends them, with a token. */
export function makePage(origin: string, token: string) {
  return (path: string, body?: object, method = body === undefined ? 'GET' : 'POST'): Promise<Response> =>
    fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, origin, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
}

/** Adds an authenticator's passkey for the holder of a token; `by` is one that the person already has. */
export async function addPasskey(token: string, authenticator: Authenticator, by?: Authenticator): Promise<Response> {
  const call = makePage(authenticator.origin, token);
  const { ticket, creation, signing } = await (await call('/api/passkeys/options', {})).json();
  const registration = authenticator.register(creation.challenge);
  const assertion = by && { assertion: by.sign(signing.challenge) };
  return call('/api/passkeys', { ticket, name: 'Key', registration, ...assertion });
}
