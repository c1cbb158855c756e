import { base64url, passkeyTransports } from '@parleyhq/core';
import * as z from 'zod';

/** A new passkey: the necessary members of a `RegistrationResponseJSON` of WebAuthn. */
export const registrationSchema = z.strictObject({
  id: base64url(1400),
  response: z.strictObject({
    clientDataJSON: base64url(4000),
    attestationObject: base64url(16_000),
    /** How a browser reaches the authenticator. */
    transports: z.array(z.enum(passkeyTransports)).max(passkeyTransports.length).optional(),
  }),
});

export type Registration = z.infer<typeof registrationSchema>;
