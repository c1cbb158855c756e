import { forgetTyped } from './tab-owner.ts';

/** Credentials of a log-in: a token, or the code in the printed address, which works once. */
export type LoginKey = { readonly token: string } | { readonly code: string };

/** Exchanges a token or a code for the log-in cookie (SEC2). @returns why it was refused, otherwise undefined */
export function logIn(key: LoginKey): Promise<string | undefined> {
  return show('/api/login', key);
}

/**
 * Shows the token of this browser's log-in again, for actions that need a recent log-in (SEC9). @returns why it was refused,
 * otherwise undefined
 */
export function proveLogin(key: LoginKey): Promise<string | undefined> {
  return show('/api/login/again', key);
}

async function show(path: string, key: LoginKey): Promise<string | undefined> {
  const response = await post(path, key);
  if (response.ok) return undefined;
  return response.status === 401
    ? 'This token is invalid. The server’s own may change when it starts: take the newest from its terminal.'
    : (await readError(response)).message;
}

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Returns the error in a response, if the server itself sent it. */
async function readError(response: Response): Promise<{ readonly code?: string; readonly message: string }> {
  const { error } = await response.json().catch(() => ({}));
  return error ?? { message: 'The server is not responding.' };
}

/** Returns the code or token in an address. */
export function readKey(address: string): LoginKey | undefined {
  const parts = new URLSearchParams(address.split('#')[1] ?? '');
  const [code, token] = [parts.get('code'), parts.get('token')];
  if (code !== null) return { code };
  return token === null ? undefined : { token };
}

/** Removes the code or token from the address bar and the history, whether or not it is valid, and returns it. */
export function takeKey(): LoginKey | undefined {
  const key = readKey(location.hash);
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return key;
}

/**
 * Ends the log-in and reloads the page without anything that was typed. The page then asks for a token, unless the server needs
 * none.
 */
export async function logOut(): Promise<void> {
  await fetch('/api/logout', { method: 'POST' });
  forgetTyped();
  location.assign('/');
}

/** A browser that is logged in with the same token. */
export interface Device {
  readonly id: string;
  readonly createdAt?: string;
  readonly userAgent?: string;
  readonly address?: string;
  /** Set for this browser. */
  readonly isCurrent?: true;
}

/** One's own log-ins: none if the server admits everybody, or the application in which it runs knows who is there. */
export interface OwnLogins {
  readonly logins: readonly Device[];
  readonly admitsEverybody?: true;
}

/** @throws Error if the server does not answer with the list */
export async function listLogins(): Promise<OwnLogins> {
  const response = await fetch('/api/logins');
  if (!response.ok) throw new Error('The list could not be loaded.');
  return response.json();
}

/** Ends one of these log-ins, or all but this one. @param logInAgain - asks for the token if this log-in is not recent enough */
export async function endLogins(
  which: { readonly id: string } | { readonly others: true },
  logInAgain: () => Promise<boolean>,
): Promise<void> {
  const response = await post('/api/logins/end', which);
  if (response.ok) return;
  const { code, message } = await readError(response);
  if (code !== 'login_again') throw new Error('The log-in could not be ended.');
  if (!(await logInAgain())) throw new Error(message);
  await endLogins(which, logInAgain);
}
