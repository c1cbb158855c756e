import type { Client, PerformOptions } from '@parleyhq/runtime';
import type { Cost } from '../auth/quota-service.ts';
import type { Services } from './services.ts';

interface Payer {
  readonly client: Pick<Client, 'principal' | 'credential'>;
  readonly services: Pick<Services, 'quotas'>;
}

/**
 * Returns the client's credential and the function that charges the client for the bytes stored and for `costs` (SEC9, SEC11).
 */
export function onBehalfOf(
  { client, services }: Payer,
  ...costs: readonly Cost[]
): Pick<PerformOptions, 'credential' | 'spend'> {
  return { credential: client.credential, spend: services.quotas.payerOf(client.principal, ...costs) };
}
