import type { CallbackAddressing } from '@parleyhq/runtime';
import type { Tickets } from '../../auth/ticket.ts';

/** Path that external programs post to, before the ticket. */
export const callbackPath = '/callbacks/';

/** Path that browsers come back to; it is constant, because the sites that send them back require that. */
export const returnPath = '/return';

/**
 * Makes the addresses of callbacks. Each contains its ticket, so it is the same whenever it is made (PLG11), within one epoch
 * (NTF3). A browser's ticket is in the `state`, which the site hands back (RFC 6749).
 * @param findBase - resolves to the base URL of this server once it is known
 */
export function makeCallbackAddresses(
  tickets: Pick<Tickets, 'sign'>,
  findBase: () => Promise<string>,
): CallbackAddressing {
  const base = async () => (await findBase()).replace(/\/+$/, '');
  return {
    addressOf: async (wait) => `${await base()}${callbackPath}${tickets.sign('callback', wait)}`,
    returnAddressOf: async (wait) => `${await base()}${returnPath}?state=${tickets.sign('return', wait)}`,
  };
}
