import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { awaitFirst } from './await-first.ts';
import { LocalHttp } from './local-http.ts';

/** A request as received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Records the requests that it receives, in the role of a webhook or an ntfy server. */
export class Receiver extends LocalHttp {
  readonly requests: Received[] = [];
  /** Status of its responses. */
  status = 200;
  headers: Readonly<Record<string, string>> = {};
  /** Whether it leaves requests unanswered. */
  isDead = false;

  /** Waits for the first request that is accepted. */
  request(accepts: (request: Received) => boolean = () => true): Promise<Received> {
    return awaitFirst(this.requests, accepts);
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, path: url, headers, body: await text(request) });
    if (!this.isDead) response.writeHead(this.status, this.headers).end('{}');
  }
}
