import { lookup as lookUpName } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type LookUp, lookUpPublic, placeOf } from '@parleyhq/core/addresses';
import { TellError } from './target.ts';

export interface OutboundRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | string;
}

export interface OutsideOptions {
  readonly allowsPrivate: boolean;
  /** In ms, for all of a request. */
  readonly limitMs: number;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/**
 * Sends a request to an address that people gave: to the public internet only, unless others are allowed. The address is
 * checked when it connects, so that a name cannot change its meaning in between; nothing is redirected, and only the status is read.
 * @throws TellError
 */
export function sendOutside(
  url: string,
  { method, headers, body }: OutboundRequest,
  { allowsPrivate, limitMs, stopping }: OutsideOptions,
): Promise<void> {
  const { protocol, hostname } = new URL(url);
  const place = placeOf(hostname);
  if (!allowsPrivate && place !== 'public' && place !== 'name') return Promise.reject(refuseAddress(hostname));
  const send = protocol === 'http:' ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method,
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        agent: false,
        signal: AbortSignal.any([AbortSignal.timeout(limitMs), stopping]),
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
    request.on('error', (cause) => reject(cause instanceof TellError ? cause : explain(cause)));
    request.end(body);
  });
}

/** Names that lead to no public address are refused before anything is sent. */
const lookUpOutside = lookUpPublic(lookUpName as unknown as LookUp, refuseAddress) as LookupFunction;

function refuseAddress(host: string): TellError {
  return new TellError('address_refused', `${host} is no public address, and others are not allowed.`, {
    isFinal: true,
  });
}

/** Too many requests and faults of the receiver pass; what else is refused stays so. */
function refused(status: number, retryAfter: string | undefined): TellError {
  const isPassing = status === 408 || status === 429 || status >= 500;
  const seconds = Number(retryAfter);
  return new OutsideRefusal(status, {
    isFinal: !isPassing,
    retryAfterMs: retryAfter !== undefined && seconds > 0 ? seconds * 1000 : undefined,
  });
}

/** The receiver answered, and did not take it. */
export class OutsideRefusal extends TellError {
  readonly status: number;

  constructor(status: number, options: ConstructorParameters<typeof TellError>[2]) {
    super('receiver_refused', `The receiver answered with status ${status}.`, options);
    this.status = status;
  }
}

function explain(cause: Error): TellError {
  const isSlow = cause.name === 'TimeoutError' || cause.name === 'AbortError';
  const code = 'code' in cause ? ` (${cause.code})` : '';
  if (isSlow) return new TellError('receiver_timeout', 'The receiver took too long.', { cause });
  return new TellError('receiver_unreachable', `The receiver could not be reached${code}.`, { cause });
}
