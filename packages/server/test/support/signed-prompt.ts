import { generateKeyPairSync, hash } from 'node:crypto';
import {
  type ChatEvent,
  digestText,
  type InteractionRequest,
  type InteractionSpec,
  type Payload,
  type Quorum,
} from '@parleyhq/core';
import { signReceipt, verifyReceipt } from '../../src/auth/receipt-envelope.ts';
import type { Receipt } from '../../src/auth/receipt-format.ts';
import { Authenticator, type SigningOptions } from './authenticator.ts';

/** The server's key: whoever has it can sign anything as a receipt. */
const { privateKey } = generateKeyPairSync('ed25519');

/**
 * Signs whatever is passed off as a receipt with the server's key, and verifies it.
 * @param payloadType - what the envelope then says instead of the format that was signed
 */
export async function verifyForged(forged: object, wanted: readonly string[] = [], payloadType?: string) {
  const envelope = JSON.parse(signReceipt(forged as Receipt, privateKey));
  const text = JSON.stringify({ ...envelope, ...(payloadType && { payloadType }) });
  return verifyReceipt(text, undefined, wanted);
}

/** Returns a copy with another value at a path; `undefined` removes the member. */
export function change<Value>(whole: Value, path: readonly (string | number)[], value: unknown): Value {
  const copy = structuredClone(whole) as never;
  const place = path.slice(0, -1).reduce<Record<string | number, never>>((at, name) => at[name] as never, copy);
  place[path.at(-1) ?? ''] = value as never;
  return copy;
}

const ids = { toolCallId: 'c', interactionId: 'c.1' };
const about = { id: 'e', sessionId: 's', turnId: 't', v: 1 };
const timestamp = '2026-03-01T12:00:00.000Z';

export const approval = { action: 'approve', approvalScope: 'once', reason: 'Fine' } as const;

/** How an answer is signed. */
interface Signature<Said> extends Pick<SigningOptions, 'verifies' | 'v'> {
  readonly key?: Authenticator;
  readonly said?: Said;
}

type Vote = Omit<Payload<'interaction_vote'>, 'votes'>;

export const terms = {
  source: { kind: 'mcp', name: 'doors' },
  ...{ risk: 'high', grantTtlMs: 86_400_000, sessionTtlMs: 3_600_000 },
} as const;

/** A prompt that demanded passkeys, as the log has it, and people who answer it. */
export class SignedPrompt {
  readonly spec: InteractionSpec;
  readonly request: ChatEvent<'interaction_request'>;
  readonly #keys = new Map<string, Authenticator>();

  constructor(decide?: Quorum) {
    this.spec = { type: 'approval', title: 'Open it?', approvalScopes: ['once'], ...(decide && { decide }) };
    const { type: interactionType, ...shown } = this.spec;
    const digest = hash('sha256', digestText('open', this.spec));
    this.request = {
      ...{ ...about, seq: 3, timestamp, type: 'interaction_request' },
      payload: {
        ...{ ...shown, ...ids, slot: '1', toolName: 'open', interactionType, attempt: 1, digest, stepUp: true },
        ...{ presentation: 'tool', ...terms, onUnavailable: 'error' },
      },
    } as unknown as ChatEvent<'interaction_request'>;
  }

  /** The person's authenticator, with one passkey. */
  keyOf(person: string): Authenticator {
    const key = this.#keys.get(person) ?? new Authenticator('https://parley.example');
    this.#keys.set(person, key);
    return key;
  }

  /** The payload of an answer, or a vote, without a signature. */
  say<Said extends object>(person: string, answerId: string, said: Said) {
    const principal = `phone of ${person}`;
    const by = { clientId: 'b', connectionId: 'k', principal, owner: person, transport: 'ws' };
    return { ...ids, ...said, answerId, by };
  }

  /** The same with the signature of a passkey, by default the person's own. */
  sign<Said extends typeof approval>(
    person: string,
    answerId: string,
    { key = this.keyOf(person), said = approval as Said, ...options }: Signature<Said> = {},
  ) {
    const identity = { sessionId: 's', person, answerId };
    const request = this.request.payload as InteractionRequest;
    const { assertion } = key.signAnswer(identity, request, said, options);
    const { id: credentialId, publicKey, origin } = key;
    const stored = {
      credentialId,
      publicKey,
      origin,
      ...assertion.response,
      ...(options.v !== 1 && { v: 2 as const }),
    };
    return { ...this.say(person, answerId, said), assertion: stored };
  }

  vote(
    seq: number,
    { approvalScope: _, ...payload }: Vote & { approvalScope?: string },
  ): ChatEvent<'interaction_vote'> {
    const votes = { approve: 1, deny: 0 };
    return { ...about, seq, timestamp, type: 'interaction_vote', payload: { ...payload, votes } };
  }

  settle(payload: Payload<'interaction_response'>): ChatEvent<'interaction_response'> {
    return { ...about, seq: 9, timestamp, type: 'interaction_response', payload };
  }

  close(): ChatEvent<'interaction_closed'> {
    return { ...about, seq: 9, timestamp, type: 'interaction_closed', payload: { ...ids, reason: 'timeout' } };
  }
}
