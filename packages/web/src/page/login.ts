/** What logs a browser in: a token, or the code of the printed address, which works once. */
export type LoginKey = { readonly token: string } | { readonly code: string };

/** Exchanges a token or a code for the login cookie (SEC2). @returns false if it is invalid, or was used before */
export async function logIn(key: LoginKey): Promise<boolean> {
  const response = await fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(key),
  });
  return response.ok;
}

/** The code or token in an address. */
export function readKey(address: string): LoginKey | undefined {
  const parts = new URLSearchParams(address.split('#')[1] ?? '');
  const [code, token] = [parts.get('code'), parts.get('token')];
  if (code !== null) return { code };
  return token === null ? undefined : { token };
}

/** Takes the code or token out of the address bar and the history, whether or not it proves valid. */
export function takeKey(): LoginKey | undefined {
  const key = readKey(location.hash);
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return key;
}

/** Ends the login and reloads. The page then asks for a token, unless the server needs none. */
export async function logOut(): Promise<void> {
  await fetch('/api/logout', { method: 'POST' });
  location.assign('/');
}

/** A browser that is logged in with the same token. */
export interface Device {
  readonly id: string;
  readonly createdAt?: string;
  readonly userAgent?: string;
  readonly address?: string;
  /** This one. */
  readonly isCurrent?: true;
}

/** @throws Error where the server does not say */
export async function listLogins(): Promise<readonly Device[]> {
  const response = await fetch('/api/logins');
  if (!response.ok) throw new Error('The list could not be loaded.');
  return ((await response.json()) as { logins: readonly Device[] }).logins;
}

export function endLogin(id: string): Promise<void> {
  return end({ id });
}

export function endOtherLogins(): Promise<void> {
  return end({ others: true });
}

async function end(which: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/api/logins/end', { method: 'POST', headers, body: JSON.stringify(which) });
  if (!response.ok) throw new Error('The log-in could not be ended.');
}
