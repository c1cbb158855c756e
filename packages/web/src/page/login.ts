/** Exchanges a token for the cookie (SEC2). False where the server does not know it. */
export async function logIn(token: string): Promise<boolean> {
  const response = await fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return response.ok;
}

/** The token of the printed address, if there is one. It leaves the address bar, whatever becomes of it. */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Gives the cookie back; the page that loads then asks for a token, unless the server lets everybody in. */
export async function logOut(): Promise<void> {
  await fetch('/api/logout', { method: 'POST' });
  location.assign('/');
}
