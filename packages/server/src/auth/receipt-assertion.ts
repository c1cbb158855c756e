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
  const { credentialId: id, publicKey, origin, authenticatorData, clientDataJSON, signature } = assertion;
  if (!URL.canParse(origin)) return false;
  const response = { authenticatorData, clientDataJSON, signature };
  const passkey = { credentialId: id, publicKey, origin, counter: 0 };
  return !('fault' in (await verifySignature({ id, response }, passkey, challenge, 'any')));
}
