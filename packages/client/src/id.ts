/** Returns a new opaque id. `crypto.randomUUID` needs a secure context, which a page over plain http on a LAN is not. */
export function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
