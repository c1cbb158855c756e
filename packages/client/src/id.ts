/**
 * A fresh opaque id. `crypto.randomUUID` exists only in secure contexts; a plain-http page on a LAN has none.
 */
export function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
