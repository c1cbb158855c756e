/** A passkey of the person who is logged in (SIGN2). */
export interface Passkey {
  readonly id: string;
  readonly credentialId: string;
  /** Names it in receipts. */
  readonly fingerprint: string;
  readonly name: string;
  /** Origin of the page on which it was added. */
  readonly origin: string;
  readonly createdAt: string;
  readonly lastUsedAt?: string;
}

/** A refused request; `code` is that of the server. */
export class PasskeyError extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** @throws PasskeyError */
export async function listPasskeys(): Promise<readonly Passkey[]> {
  return (await askPasskeys<{ passkeys: readonly Passkey[] }>('', 'GET')).passkeys;
}

/** @throws PasskeyError */
export async function renamePasskey(id: string, name: string): Promise<void> {
  await askPasskeys(`/${encodeURIComponent(id)}`, 'PATCH', { name });
}

/** Sends a request about passkeys. @throws PasskeyError */
export async function askPasskeys<Value>(path: string, method: string, body?: object): Promise<Value> {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`/api/passkeys${path}`, { method, ...sent });
  const value = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (response.ok) return value;
  const { message = 'The server is not responding.', code } = value?.error ?? {};
  throw new PasskeyError(message, code);
}

/** Why this browser cannot use passkeys on this page; undefined if it can. */
export function findObstacle(): string | undefined {
  if (/^[\d.]+$|^\[/.test(location.hostname)) {
    const { hostname } = location;
    const isHere = hostname === '127.0.0.1' || hostname === '[::1]';
    const advice = isHere ? ` Write localhost in place of ${hostname} in the address bar, and log in there.` : '';
    return `Passkeys need an address with a name, not only numbers.${advice}`;
  }
  if (!window.isSecureContext) return 'Passkeys need an encrypted connection: open this page with https.';
  return 'PublicKeyCredential' in window ? undefined : 'This browser has no passkeys. Use another one.';
}
