import { createHash } from 'node:crypto';
import {
  type Answer,
  type Assertion,
  type ChallengeVersion,
  challengeText,
  type InteractionRequest,
  ownerOf,
  type PasskeyUse,
  type Principal,
  type SessionId,
  type StepUpProof,
  type Store,
  signedAnswer,
  termsOf,
} from '@parleyhq/core';
import { readClientData } from './client-data.ts';
import { verifySignature } from './signature.ts';

/** An answer to a prompt, and what the client sent with it. */
export interface AnswerToJudge {
  readonly sessionId: SessionId;
  readonly request: InteractionRequest;
  readonly principal: Principal;
  /** As it will be stored: with the server's own description of files. */
  readonly answer: Answer;
  readonly answerId: string | undefined;
  readonly digest: string | undefined;
  readonly assertion: Assertion | undefined;
}

/** What was found about an answer, and the use of the passkey that its transaction must check. */
export interface JudgedSignature {
  readonly stepUp: StepUpProof;
  readonly passkey?: PasskeyUse;
}

export interface StepUpDeskOptions {
  readonly passkeys: Pick<Store['passkeys'], 'find'>;
  readonly now: () => number;
  /** Origins of the pages that may frame ours (TRN3). */
  readonly frameAncestors: readonly string[];
  /** Returns the address of a prompt on the page. */
  readonly linkTo: (prompt: { readonly sessionId: SessionId; readonly interactionId: string }) => string;
}

const incomplete = 'An answer that a passkey signs needs its answerId and the digest of what was shown.';
const outdated =
  'This page is from an earlier release, which does not sign the risk, who asks and how long it lasts: reload the page, and answer again.';
const foreign = 'This passkey is not one of yours: it may have been removed. Add it again, or use another one.';

/**
 * Verifies the assertions of answers, whichever way they come (SIGN2). The decision refuses what is not verified here, and the
 * transaction of the answer checks again that the passkey still exists.
 */
export class StepUpDesk {
  readonly #options: StepUpDeskOptions;

  constructor(options: StepUpDeskOptions) {
    this.#options = options;
  }

  /** Returns what was found about an answer that needs a passkey. */
  async judge(given: AnswerToJudge): Promise<JudgedSignature> {
    const { sessionId, request, assertion } = given;
    const url = this.#options.linkTo({ sessionId, interactionId: request.interactionId });
    const verdict = assertion ? await this.#verify({ ...given, assertion }) : { fault: describeDemand(url) };
    if ('fault' in verdict) return { stepUp: { url, fault: verdict.fault } };
    const { proof, use } = verdict;
    return { stepUp: { url, assertion: proof }, passkey: use };
  }

  async #verify(given: AnswerToJudge & { readonly assertion: Assertion }) {
    const { sessionId, request, principal, answer, answerId, digest, assertion } = given;
    if (answerId === undefined || digest === undefined) return { fault: incomplete };
    const { interactionId } = request;
    const person = ownerOf(principal);
    const passkey = await this.#options.passkeys.find(assertion.id);
    if (passkey?.person !== person) return { fault: foreign };
    const identity = { sessionId, interactionId, digest, terms: termsOf(request), answerId, person };
    const hashOf = (v: ChallengeVersion) => hashChallenge(challengeText(identity, signedAnswer(request, answer), v));
    if (readClientData(assertion.response.clientDataJSON).challenge === hashOf(1)) return { fault: outdated };
    const { frameAncestors, now } = this.#options;
    const found = await verifySignature(assertion, passkey, hashOf(2), frameAncestors);
    if ('fault' in found) return found;
    const { credentialId, publicKey, origin } = passkey;
    return {
      proof: { credentialId, publicKey, origin, ...assertion.response, v: 2 as const },
      use: { credentialId, person, counter: found.counter, now: now() },
    };
  }
}

/** Returns the challenge of a text, as WebAuthn carries it: its SHA-256 in base64url. */
export function hashChallenge(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function describeDemand(url: string): string {
  return `This answer needs your passkey. Open the prompt and answer it there: ${url}`;
}
