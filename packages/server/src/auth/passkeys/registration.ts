import * as z from 'zod';

const base64url = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\w-]+$/);

/** A new passkey: the necessary members of a `RegistrationResponseJSON` of WebAuthn. */
export const registrationSchema = z.strictObject({
  id: base64url(1400),
  response: z.strictObject({
    clientDataJSON: base64url(4000),
    attestationObject: base64url(16_000),
    /** How a browser reaches the authenticator. */
    transports: z
      .array(z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']))
      .max(7)
      .optional(),
  }),
});

export type Registration = z.infer<typeof registrationSchema>;
