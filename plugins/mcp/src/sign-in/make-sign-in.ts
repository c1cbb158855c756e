import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ServerConfig } from '../server-config.ts';
import { makeOutsideFetch } from './guarded-fetch.ts';
import { SignIn, trustedOf } from './sign-in.ts';
import { Vault } from './vault.ts';

/**
 * Makes the sign-in of a server; undefined for a local server, and if the settings have an `authorization` header or `oauth:
 * false`. Tokens are stored for this name and address, so that another server never receives them.
 * @param folder - the plugin's data folder
 */
export function makeSignIn(
  name: string,
  { url, headers = {}, oauth = {} }: ServerConfig,
  folder: string,
): SignIn | undefined {
  const isLetIn = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
  if (url === undefined || oauth === false || isLetIn) return undefined;
  const file = createHash('sha256')
    .update(JSON.stringify([name, url]))
    .digest('hex')
    .slice(0, 32);
  const vault = new Vault(join(folder, 'sign-ins', `${file}.json`));
  return new SignIn({ url, settings: oauth, vault, fetch: makeOutsideFetch(trustedOf(url, oauth)) });
}
