import {
  answerOfResponse,
  answerOfVote,
  type ChallengeVersion,
  type CompleteAnswer,
  challengeText,
  needsStepUp,
  type Payload,
  personOf,
  type StoredAssertion,
} from '@parleyhq/core';
import { fingerprintOfPasskey } from '@parleyhq/store-kit';
import { verifySignature } from './passkeys/signature.ts';
import { hashChallenge } from './passkeys/step-up.ts';
import type { Receipt } from './receipt-format.ts';

/**
 * Who signed an answer, or a vote: the signature was verified, and covers the prompt, what was shown, the person and the answer,
 * and since version 2 also the terms.
 */
export interface Signer {
  /** Position of the answer or vote in the session's log, by which the receipt has it. */
  readonly seq: number;
  /** The person for whom it was signed. Names, roles and clients are not signed. */
  readonly person: string;
  /** Fingerprint of the passkey. */
  readonly passkey: string;
  /** Origin at which the passkey was used. */
  readonly origin: string;
  /** Version of what was signed. */
  readonly v: ChallengeVersion;
}

/** A response or a vote as a receipt states it, and the answer that it was. */
interface StatedAnswer {
  readonly seq: number;
  readonly payload: Pick<Payload<'interaction_response'>, 'answerId' | 'by' | 'assertion' | 'grantId'>;
  readonly answer: CompleteAnswer;
}

/**
 * Verifies what passkeys signed for the answers of a receipt, from nothing but the receipt (SIGN2). Refusals need no signature, and
 * answers by a grant have none: it is in the receipt of the answer that gave the grant. A signature that none of these needs is
 * refused, because nobody makes one.
 * @returns who signed, in the order of the answers
 * @throws Error that says what is wrong
 */
export async function verifyAssertions(receipt: Receipt): Promise<readonly Signer[]> {
  const signers: Signer[] = [];
  for (const stated of listAnswers(receipt)) {
    const { seq, payload, answer } = stated;
    const { by, grantId, assertion } = payload;
    const isNeeded = needsStepUp(receipt, answer.action) && grantId === undefined;
    if (isNeeded && !assertion)
      throw new Error('It states an answer that a passkey had to sign, without the signature.');
    if (!isNeeded && assertion) throw new Error('It has a signature by a passkey with an answer that takes none.');
    if (!assertion) continue;
    const { origin, v = 1 } = assertion;
    if (!(await isSignedBy(assertion, challengeOf(receipt, stated, v))))
      throw new Error('What a passkey signed is not this answer to what was shown, or its signature is not valid.');
    signers.push({ seq, person: personOf(by), passkey: fingerprintOfPasskey(assertion), origin, v });
  }
  requireOwners(signers);
  return signers;
}

/** @throws Error if a passkey signed for several persons: it belongs to one */
function requireOwners(signers: readonly Signer[]): void {
  const owners = new Map<string, string>();
  for (const { passkey, person } of signers) {
    if ((owners.get(passkey) ?? person) !== person)
      throw new Error(`The passkey ${passkey} signed for several persons.`);
    owners.set(passkey, person);
  }
}

function challengeOf(receipt: Receipt, { payload, answer }: StatedAnswer, v: ChallengeVersion): string {
  const { sessionId, interactionId, digest, terms } = receipt;
  const { answerId, by } = payload;
  const identity = { sessionId, interactionId, digest, terms, answerId, person: personOf(by) };
  return hashChallenge(challengeText(identity, answer, v));
}

function listAnswers({ votes = [], settlement }: Receipt): readonly StatedAnswer[] {
  const cast = votes.map(({ seq, payload }) => ({ seq, payload, answer: answerOfVote(payload) }));
  if (settlement.event !== 'interaction_response') return cast;
  const { seq, payload } = settlement;
  return [...cast, { seq, payload, answer: answerOfResponse(payload) }];
}

async function isSignedBy(assertion: StoredAssertion, challenge: string): Promise<boolean> {
  const { credentialId, publicKey, origin, v: _, ...response } = assertion;
  if (![publicKey, ...Object.values(response)].every(isCanonical) || !URL.canParse(origin)) return false;
  if (!isStrict(decode(response.signature), decode(publicKey))) return false;
  const passkey = { credentialId, publicKey, origin, counter: 0 };
  const found = await verifySignature({ id: credentialId, response }, passkey, challenge, 'any');
  return !('fault' in found);
}

/** Whether a signature by an elliptic curve is strictly encoded in DER: the library also reads other lengths. */
function isStrict(signature: Buffer, publicKey: Buffer): boolean {
  const isElliptic = publicKey[1] === 1 && publicKey[2] === 2; // the first member of the COSE key: its type is EC2
  if (!isElliptic) return true;
  const [sequence, length, first, size = 0] = signature;
  const second = 4 + size;
  const isWhole = sequence === 0x30 && length === signature.length - 2;
  return isWhole && first === 2 && signature[second] === 2 && signature[second + 1] === signature.length - second - 2;
}

const decode = (base64url: string) => Buffer.from(base64url, 'base64url');

/** Whether a text is the only spelling of its bytes: otherwise a receipt could be changed without becoming invalid. */
function isCanonical(base64url: string): boolean {
  return decode(base64url).toString('base64url') === base64url;
}
