import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { awaitFirst } from './await-first.ts';
import { LocalHttp } from './local-http.ts';

/** A request as it came. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Keeps what it is sent: a webhook of somebody's, or an ntfy. */
export class Receiver extends LocalHttp {
  readonly requests: Received[] = [];
  /** What it answers. */
  status = 200;
  headers: Readonly<Record<string, string>> = {};
  /** Never answers what comes while it is set. */
  isDead = false;

  /** The first request that fits, as soon as it is there. */
  request(accepts: (request: Received) => boolean = () => true): Promise<Received> {
    return awaitFirst(this.requests, accepts);
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, path: url, headers, body: await text(request) });
    if (!this.isDead) response.writeHead(this.status, this.headers).end('{}');
  }
}
