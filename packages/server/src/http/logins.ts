import type { Login } from '@parleyhq/core';
import * as z from 'zod';
import type { Admission, Auth } from '../auth/auth.ts';

/** A login as its owner sees it. */
export interface OwnLogin extends Omit<Login, 'tokenId'> {
  /** Set for the login that makes the request. */
  readonly isCurrent?: true;
}

/** Which logins to end. */
export const endSchema = z.union([z.strictObject({ id: z.string() }), z.strictObject({ others: z.literal(true) })]);

/** Result of a request to end logins. */
export type EndResult = 'ended' | 'not_found' | 'bad_frame';

/** Lists the logins of the same token, oldest first; nobody can see or end those of another token (SEC9). */
export async function listOwnLogins(auth: Auth, { credential }: Admission): Promise<readonly OwnLogin[]> {
  const [all, current] = [await auth.loginsOf(credential), await auth.findLogin(credential)];
  return all.map(({ tokenId: _, ...login }) => ({ ...login, ...(login.id === current?.id && { isCurrent: true }) }));
}

/** Ends one of one's own logins by id, or all except the current one. Their connections close within a second (SEC9). */
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
  const by = login?.isCurrent ? {} : admission.credential; // a login may always end itself
  return login && (await auth.endLogin(id, by)) ? 'ended' : 'not_found';
}
