/**
 * Loads the library for WebAuthn when it is first needed, because it is large and most servers need it rarely. One of its
 * dependencies expects `reflect-metadata` to be loaded before, also in a bundle.
 */
export async function loadWebAuthn(): Promise<typeof import('@simplewebauthn/server')> {
  await import('reflect-metadata');
  return await import('@simplewebauthn/server');
}
