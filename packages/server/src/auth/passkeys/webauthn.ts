/**
 * Loads the library for WebAuthn when it is first needed, because it is large and most servers need it rarely. One of its
 * dependencies expects `reflect-metadata` to be loaded before, also in a bundle.
 */
export async function loadWebAuthn(): Promise<WebAuthn> {
  await import('reflect-metadata');
  return { ...(await import('@simplewebauthn/server')), ...(await import('@simplewebauthn/server/helpers')) };
}

type WebAuthn = typeof import('@simplewebauthn/server') & typeof import('@simplewebauthn/server/helpers');
