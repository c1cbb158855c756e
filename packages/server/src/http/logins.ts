import type { Login } from '@parleyhq/core';
import * as z from 'zod';
import type { Admission, Auth } from '../auth/auth.ts';

/** A login as its owner sees it. */
export interface OwnLogin extends Omit<Login, 'tokenId'> {
  /** The one that asks. */
  readonly isCurrent?: true;
}

/** Which of them end. */
export const endSchema = z.union([z.strictObject({ id: z.string() }), z.strictObject({ others: z.literal(true) })]);

/** What became of a request to end logins. */
export type EndResult = 'ended' | 'not_found' | 'bad_frame';

/** Those of the same token, oldest first: nobody sees or ends another's (SEC9). */
export async function listOwnLogins(auth: Auth, { credential }: Admission): Promise<readonly OwnLogin[]> {
  const [all, current] = [await auth.loginsOf(credential), await auth.findLogin(credential)];
  return all.map(({ tokenId: _, ...login }) => ({ ...login, ...(login.id === current?.id && { isCurrent: true }) }));
}

/** Ends one of one's own logins by id, or all but the one that asks. Their connections end within a second (SEC9). */
export async function endOwnLogins(auth: Auth, admission: Admission, body: unknown): Promise<EndResult> {
  const parsed = endSchema.safeParse(body);
  if (!parsed.success) return 'bad_frame';
  const own = await listOwnLogins(auth, admission);
  if ('others' in parsed.data) {
    for (const login of own) if (!login.isCurrent) await auth.endLogin(login.id, admission.credential);
    return 'ended';
  }
  const { id } = parsed.data;
  const login = own.find((each) => each.id === id);
  const by = login?.isCurrent ? {} : admission.credential; // one may always log oneself out
  return login && (await auth.endLogin(id, by)) ? 'ended' : 'not_found';
}
