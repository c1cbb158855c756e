/** Exchanges a token for the login cookie (SEC2). @returns false if the token is invalid */
export async function logIn(token: string): Promise<boolean> {
  const response = await fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return response.ok;
}

/** Takes the token of the printed address out of the address bar, whether or not it proves valid. */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Ends the login and reloads. The page then asks for a token, unless the server needs none. */
export async function logOut(): Promise<void> {
  await fetch('/api/logout', { method: 'POST' });
  location.assign('/');
}
