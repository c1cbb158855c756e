import * as z from 'zod/mini';

/** Limits in characters of base64url. What an authenticator signs is a few hundred bytes long. */
const maxCredentialId = 1400;
const maxSigned = 4000;
const maxSignature = 1000;

/** Bytes in base64url. @param most - limit in characters */
export const base64url = (most: number) => z.string().check(z.maxLength(most), z.regex(/^[\w-]+$/));

/** What a passkey signs for an answer: the necessary members of an `AuthenticationResponseJSON` of WebAuthn (SIGN2). */
export const assertionSchema = z.strictObject({
  id: base64url(maxCredentialId),
  response: z.strictObject({
    authenticatorData: base64url(maxSigned),
    clientDataJSON: base64url(maxSigned),
    signature: base64url(maxSignature),
  }),
});

export type Assertion = z.infer<typeof assertionSchema>;

/** An assertion that the server has verified, as it is stored with its answer. Whoever has it can verify it again. */
export const storedAssertionSchema = z.object({
  credentialId: z.string(),
  /** The passkey's public key as COSE, in base64url. */
  publicKey: z.string(),
  /** Origin at which the passkey was added. */
  origin: z.string(),
  authenticatorData: z.string(),
  clientDataJSON: z.string(),
  signature: z.string(),
  /** Version of the challenge: see `challengeText`. Earlier releases signed version 1, and did not store it. */
  v: z.optional(z.literal(2)),
});

export type StoredAssertion = z.infer<typeof storedAssertionSchema>;
