/** A linked account of a chat (CHAT2). */
export interface ChatLink {
  readonly id: string;
  readonly createdAt: string;
  readonly notifier: string;
  readonly account: { readonly id: string; readonly name?: string };
}

/** A chat in which accounts can be linked. */
export interface LinkableChat {
  readonly name: string;
  readonly title: string;
  /** How a code is sent; `{code}` is its place. */
  readonly howToLink?: string;
}

export interface LinkCode {
  readonly code: string;
  readonly expiresAt: string;
}

/** Lists one's own links, and the chats. @throws Error that says why not */
export function listLinks(): Promise<{ readonly links: readonly ChatLink[]; readonly chats: readonly LinkableChat[] }> {
  return ask('GET');
}

/** Makes a code that links an account, once. @throws Error that says why not */
export function makeLinkCode(): Promise<LinkCode> {
  return ask('POST', {});
}

/** @throws Error that says why not */
export async function endLink(id: string): Promise<void> {
  await ask('DELETE', { id });
}

async function ask<Value>(method: string, body?: object): Promise<Value> {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch('/api/links', { method, ...sent });
  const value = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(value?.error?.message ?? 'The server is not responding.');
  return value;
}
