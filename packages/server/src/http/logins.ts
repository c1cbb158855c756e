import { type Login, RefusalError } from '@parleyhq/core';
import * as z from 'zod';
import type { Admission, Auth } from '../auth/auth.ts';

/** A login as its owner sees it. */
export interface OwnLogin extends Omit<Login, 'tokenId'> {
  /** Set for the login that makes the request. */
  readonly isCurrent?: true;
}

/** Which logins to end. */
export const endSchema = z.union([z.strictObject({ id: z.string() }), z.strictObject({ others: z.literal(true) })]);

/** Lists the logins of the same token, oldest first; nobody can see or end those of another token (SEC9). */
export async function listOwnLogins(auth: Auth, person: Admission): Promise<readonly OwnLogin[]> {
  const [all, current] = [await auth.loginsOf(person), await auth.findLogin(person.credential)];
  return all.map(({ tokenId: _, ...login }) => ({ ...login, ...(login.id === current?.id && { isCurrent: true }) }));
}

/**
 * Ends one of one's own logins by id, or all except the current one. Their connections close within a second (SEC9).
 * @throws RefusalError `bad_frame`, `not_found`
 */
export async function endOwnLogins(auth: Auth, person: Admission, body: unknown): Promise<void> {
  const parsed = endSchema.safeParse(body);
  if (!parsed.success) throw new RefusalError('bad_frame');
  const own = await listOwnLogins(auth, person);
  if ('others' in parsed.data) {
    for (const login of own) if (!login.isCurrent) await auth.endLogin(login.id, person.credential);
    return;
  }
  const { id } = parsed.data;
  const login = own.find((each) => each.id === id);
  const by = login?.isCurrent ? {} : person.credential; // a login may always end itself
  if (!login || !(await auth.endLogin(id, by))) throw new RefusalError('not_found');
}
