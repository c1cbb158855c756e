import type { Cost } from '../auth/quota-book.ts';
import type { PerformOptions } from '../session/perform-options.ts';
import type { Client } from '../tabs/client.ts';
import type { Services } from './services.ts';

interface Payer {
  readonly client: Pick<Client, 'principal' | 'credential'>;
  readonly services: Pick<Services, 'quotas'>;
}

/** What lets its client in, and pays for what is stored: its bytes, and what else that costs (SEC9, SEC11). */
export function behalfOf(
  { client, services }: Payer,
  ...costs: readonly Cost[]
): Pick<PerformOptions, 'credential' | 'spend'> {
  return { credential: client.credential, spend: services.quotas.payerOf(client.principal, ...costs) };
}
