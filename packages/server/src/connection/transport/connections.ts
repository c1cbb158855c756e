import type { ServerResponse } from 'node:http';
import type { ClientFrameOf, ConnectionId, WireError } from '@parleyhq/core';
import type { Admission } from '../../auth/auth.ts';
import type { Arrival, Gateway } from '../gateway.ts';

/** HTTP statuses of refusals. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 426 | 429 | 500 | 503;

/** A request that becomes a connection. */
export interface Opening {
  readonly response: ServerResponse;
  /** Sends the head of the response; events follow. */
  readonly begin: () => void;
  readonly arrival: Arrival & { readonly admission: Admission };
  /** The hello of the connection, followed by its subscriptions. */
  readonly frames: readonly [ClientFrameOf<'hello'>, ...ClientFrameOf<'subscribe'>[]];
}

/** Why there is no connection. */
export interface Refused {
  readonly status: RefusalStatus;
  readonly error: WireError;
}

/** The connections of the HTTP transport. */
export interface Connections {
  /** Opens a connection. Resolves once it is open, or with the reason for the refusal. */
  open(opening: Opening): Promise<Refused | undefined>;
  /** Finds a connection that the same principal opened with the same token or login. */
  find(id: ConnectionId, by: Admission): OpenConnection | undefined;
}

interface OpenConnection {
  readonly gateway: Pick<Gateway, 'receive'>;
  readonly connection: { readonly sent: number };
}
