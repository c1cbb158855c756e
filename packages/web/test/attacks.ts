import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** Starts an unrelated, hostile web server on a port of its own. */
export async function serveHostile(): Promise<{ port: number; close(): void }> {
  const server: Server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hostile</title><p>Hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Requests = readonly (readonly [method: string, path: string])[];

/**
 * Tries everything that a page can do to a server: every route in every way.
 * @returns a line for each success
 */
export async function attack(page: Page, target: string, requests: Requests): Promise<string[]> {
  return page.evaluate(
    async ([target, requests]) => {
      const gains: string[] = [];
      const element = <Name extends 'img' | 'script' | 'iframe'>(name: Name, src: string) =>
        new Promise<void>((resolve) => {
          const made = document.createElement(name);
          const finish = (isLoaded: boolean) => {
            if (isLoaded && name !== 'iframe') gains.push(`${name} ${new URL(src).pathname}`);
            resolve();
          };
          made.addEventListener('load', () => finish(true));
          made.addEventListener('error', () => finish(false));
          made.src = src;
          document.body.append(made);
        });
      const fetchIt = async (method: string, url: string, mode: RequestMode, type?: string) => {
        const init: RequestInit = { method, mode, credentials: 'include' };
        if (type !== undefined) Object.assign(init, { body: '{"token": "x"}', headers: { 'content-type': type } });
        const response = await fetch(url, init).catch(() => undefined);
        const text = await response?.text();
        if (text || response?.ok) gains.push(`${mode} ${method} ${new URL(url).pathname}`);
        return response?.headers.get('content-type') ?? '';
      };
      const post = (url: string, enctype: string) =>
        new Promise<void>((resolve) => {
          const frame = document.createElement('iframe');
          frame.name = `frame-${Math.random()}`;
          document.body.append(frame);
          const form = Object.assign(document.createElement('form'), { action: url, method: 'POST', enctype });
          form.target = frame.name;
          document.body.append(form);
          frame.addEventListener('load', () => resolve());
          form.submit();
          setTimeout(resolve, 500); // a frame that gets 204 fires no event
        });
      const listen = (url: string) =>
        new Promise<void>((resolve) => {
          const source = new EventSource(url, { withCredentials: true });
          source.onopen = () => gains.push(`events ${new URL(url).pathname}`);
          source.onerror = () => {
            source.close();
            resolve();
          };
        });
      const connect = (url: string) =>
        new Promise<void>((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => {
            gains.push('socket open');
            socket.send(JSON.stringify({ type: 'hello', protocol: 1 }));
          };
          socket.onmessage = ({ data }) => {
            gains.push(`socket ${JSON.parse(data).type}`);
            resolve();
            socket.close();
          };
          socket.onclose = () => resolve();
        });
      const read = async (url: string) => {
        const [type] = await Promise.all([fetchIt('GET', url, 'cors'), fetchIt('GET', url, 'no-cors'), listen(url)]);
        await Promise.all([element('img', url), element('script', url)]);
        if (!type.includes('pem')) await element('iframe', url); // a frame that downloads a file fires no event
      };
      const write = async (url: string) => {
        navigator.sendBeacon(url, '{"token": "x"}');
        await Promise.all([post(url, 'text/plain'), post(url, 'application/x-www-form-urlencoded')]);
        for (const mode of ['cors', 'no-cors'] as const) await fetchIt('POST', url, mode, 'text/plain');
        await fetchIt('POST', url, 'cors', 'application/json');
      };
      const urls = (wanted: string) =>
        requests.filter(([method]) => method === wanted).map(([, path]) => `${target}${path}`);
      await Promise.all([...urls('GET').map(read), connect(`${target.replace('http', 'ws')}/ws`)]);
      await Promise.all(urls('POST').map(write)); // last, because one of them logs out
      return gains.sort();
    },
    [target, requests] as const,
  );
}

/** Records the requests of a page and its frames to a server, with the responses, including those hidden from the page. */
export async function watchAnswers(page: Page, target: string) {
  const kinds = new Set<string>();
  const statuses = new Set<number>();
  const note = (type: string, method: string, url: string) => {
    if (url.startsWith(`${target}/`)) kinds.add(`${type} ${method}`.toLowerCase());
    return url.startsWith(`${target}/`);
  };
  page.on('response', (response) => {
    const request = response.request();
    if (note(request.resourceType(), request.method(), response.url())) statuses.add(response.status());
  });
  const network = await page.context().newCDPSession(page);
  const own = new Set<string>();
  network.on('Network.requestWillBeSent', ({ requestId, request, type = 'other' }) => {
    if (note(type, request.method, request.url)) own.add(requestId);
  });
  network.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    if (own.has(requestId)) statuses.add(statusCode);
  });
  await network.send('Network.enable');
  return { kinds, statuses };
}
