import {
  answerOfResponse,
  answerOfVote,
  type CompleteAnswer,
  challengeText,
  needsStepUp,
  type Payload,
  personOf,
  type StoredAssertion,
} from '@parleyhq/core';
import { fingerprintOfPasskey } from './fingerprint.ts';
import { verifySignature } from './passkeys/signature.ts';
import { hashChallenge } from './passkeys/step-up.ts';
import type { Receipt } from './receipt.ts';

/** A response or a vote as a receipt states it, and the answer that it was. */
interface StatedAnswer {
  readonly payload: Pick<Payload<'interaction_vote'>, 'answerId' | 'by' | 'assertion'>;
  readonly answer: CompleteAnswer;
}

/**
 * Verifies what passkeys signed for the answers of a receipt, from nothing but the receipt (SIGN2). Answers by a grant carry no
 * signature: it is in the receipt of the answer that gave the grant.
 * @returns the fingerprints of the passkeys, in the order in which they signed
 * @throws Error that says what is wrong
 */
export async function verifyAssertions(receipt: Receipt): Promise<readonly string[]> {
  const passkeys = new Set<string>();
  for (const { payload, answer } of listAnswers(receipt)) {
    const { answerId, by, assertion } = payload;
    if (!assertion) throw new Error('It states an answer that a passkey had to sign, without the signature.');
    const { sessionId, interactionId, digest } = receipt;
    const text = challengeText({ sessionId, interactionId, digest, answerId, person: personOf(by) }, answer);
    if (!(await isSignedBy(assertion, hashChallenge(text))))
      throw new Error('What a passkey signed is not this answer to what was shown, or its signature is not valid.');
    passkeys.add(fingerprintOfPasskey(assertion));
  }
  return [...passkeys];
}

/** Returns the answers of a receipt that passkeys had to sign. */
function listAnswers({ stepUp, votes = [], settlement }: Receipt): readonly StatedAnswer[] {
  const isNeeded = ({ answer }: StatedAnswer) => needsStepUp({ stepUp }, answer.action);
  const cast = votes.map(({ payload: stated }) => {
    const payload = stated as unknown as Payload<'interaction_vote'>;
    return { payload, answer: answerOfVote(payload) };
  });
  if (settlement.event !== 'interaction_response') return cast.filter(isNeeded);
  const payload = settlement.payload as unknown as Payload<'interaction_response'>;
  const last = payload.grantId === undefined ? [{ payload, answer: answerOfResponse(payload) }] : [];
  return [...cast, ...last].filter(isNeeded);
}

async function isSignedBy(assertion: StoredAssertion, challenge: string): Promise<boolean> {
  const { credentialId, publicKey, origin, ...response } = assertion;
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
