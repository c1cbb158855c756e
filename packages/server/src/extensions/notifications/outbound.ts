import { lookup as lookUpName } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type LookUp, lookUpPublic, networkScopeOf } from '@parleyhq/core/addresses';
import { abortAfter } from '@parleyhq/runtime';
import { NotificationError } from './target.ts';

export interface OutboundRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | string;
}

export interface OutsideOptions {
  readonly allowsPrivate: boolean;
  /** Time limit of a request, in ms. */
  readonly limitMs: number;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/**
 * Sends a request to an address that people configured: only to the public internet, unless private addresses are allowed. The
 * address is checked on connecting, which defeats DNS rebinding. Redirects are not followed, and only the status is read.
 * @throws NotificationError
 */
export function sendOutside(
  url: string,
  { method, headers, body }: OutboundRequest,
  { allowsPrivate, limitMs, stopping }: OutsideOptions,
): Promise<void> {
  const { protocol, hostname } = new URL(url);
  const place = networkScopeOf(hostname);
  if (!allowsPrivate && place !== 'public' && place !== 'name') return Promise.reject(refuseAddress(hostname));
  const send = protocol === 'http:' ? requestHttp : requestHttps;
  const sent = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const request = send(
        url,
        {
          method,
          headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
          agent: false,
          signal,
          ...(!allowsPrivate && { lookup: lookUpOutside }),
        },
        (response) => {
          response.resume();
          const { statusCode = 0, headers: answered } = response;
          if (statusCode >= 200 && statusCode < 300) resolve();
          else reject(refused(statusCode, answered['retry-after']));
          response.destroy();
        },
      );
      request.on('error', (cause) => reject(cause instanceof NotificationError ? cause : explain(cause)));
      request.end(body);
    });
  return abortAfter(limitMs, [stopping], sent);
}

/** Refuses names that resolve to private addresses before anything is sent. */
const lookUpOutside = lookUpPublic(lookUpName as unknown as LookUp, refuseAddress) as LookupFunction;

function refuseAddress(host: string): NotificationError {
  return new NotificationError(
    'address_refused',
    `${host} is not a public address, and private ones are not allowed.`,
    {
      isFinal: true,
    },
  );
}

/** Makes the error for a status: 408, 429 and server errors are temporary, all others final. */
function refused(status: number, retryAfter: string | undefined): NotificationError {
  const isPassing = status === 408 || status === 429 || status >= 500;
  const seconds = Number(retryAfter);
  return new OutsideRefusal(status, {
    isFinal: !isPassing,
    retryAfterMs: retryAfter !== undefined && seconds > 0 ? seconds * 1000 : undefined,
  });
}

/** The receiver responded with an error status. */
export class OutsideRefusal extends NotificationError {
  readonly status: number;

  constructor(status: number, options: ConstructorParameters<typeof NotificationError>[2]) {
    super('receiver_refused', `The receiver answered with status ${status}.`, options);
    this.status = status;
  }
}

function explain(cause: Error): NotificationError {
  const isSlow = cause.name === 'TimeoutError' || cause.name === 'AbortError';
  const code = 'code' in cause ? ` (${cause.code})` : '';
  if (isSlow) return new NotificationError('receiver_timeout', 'The receiver took too long.', { cause });
  return new NotificationError('receiver_unreachable', `The receiver could not be reached${code}.`, { cause });
}
