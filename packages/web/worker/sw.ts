// The service worker: shows what the server pushes, sends the answers given by a notification's buttons, and shows the page
// without a server. A classic script in one file, because it imports nothing but types.

/** This scope, typed: the compiler knows only what all workers share. */
const worker = self as unknown as ServiceWorkerGlobalScope;

type ServerNews = import('@parleyhq/core').Notification;

/** Content of a push message (NTF2). */
interface PushNews extends ServerNews {
  readonly subject?: string;
  readonly buttons: readonly Button[];
  readonly isSilent: boolean;
}

interface Button {
  readonly action: 'approve' | 'deny';
  readonly token: string;
}

/** Where a notification leads. */
interface Shown {
  readonly path: string;
  readonly buttons: readonly Button[];
}

const buttonWords = { approve: 'Allow once', deny: 'Deny' } as const;
const doneWords = { approve: 'Allowed once.', deny: 'Denied.' } as const;
const voteWords = { approve: 'Your approval is counted.', deny: 'Your denial is counted.' } as const;

const look = { icon: '/icon-192.png', badge: '/badge.png' } as const;

worker.addEventListener('install', (event) => event.waitUntil(Promise.all([keepShell(), worker.skipWaiting()])));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('push', (event) => {
  const news = event.data?.json() as PushNews | undefined;
  event.waitUntil(show(news));
});

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  event.waitUntil(act(notification, action));
});

/** Shows something for each push: systems end the subscriptions of workers that stay silent. */
async function show(news: PushNews | undefined): Promise<void> {
  if (news?.type === 'waiting') return showWaiting(news);
  if (news?.type === 'settled') return showSettled(news);
  return notify('Parley', { body: 'Notifications work on this device.', tag: 'test' }, { path: '/', buttons: [] });
}

/** Shows one notification per session: a later one replaces an earlier one. */
function showWaiting({ sessionId, sessionTitle, url, buttons, isSilent, ...news }: PushNews): Promise<void> {
  const actions = buttons.map(({ action }) => ({ action, title: buttonWords[action] }));
  const options = { body: describe(news), tag: sessionId, renotify: !isSilent, silent: isSilent, actions };
  return notify(sessionTitle, options, { path: new URL(url).pathname, buttons });
}

function describe({
  count,
  kind,
  risk,
  title,
  subject,
  comment,
}: Pick<PushNews, 'count' | 'kind' | 'risk' | 'title' | 'subject' | 'comment'>) {
  const said = comment ? `${comment.by ?? 'Somebody'} commented.\n` : '';
  if (count > 1) return `${said}${count} questions wait for you.`;
  const asks = kind === 'approval' ? 'Needs your approval.' : 'Needs your answer.';
  const lines = [
    title ?? asks,
    ...(subject === undefined ? [] : [subject]),
    ...(risk === 'high' ? ['High risk.'] : []),
  ];
  return said + lines.join('\n');
}

/** Shows without a sound what still waits; if nothing does, the notification is removed. */
async function showSettled({ sessionId, sessionTitle, url, count }: PushNews): Promise<void> {
  const body =
    count === 0 ? 'It was answered.' : count === 1 ? 'A question waits for you.' : `${count} questions wait for you.`;
  const path = count === 0 ? new URL(url).pathname : `/s/${encodeURIComponent(sessionId)}`;
  await notify(sessionTitle, { body, tag: sessionId, silent: true }, { path, buttons: [] });
  if (count === 0) await closeAll(sessionId);
}

async function closeAll(tag: string): Promise<void> {
  for (const notification of await worker.registration.getNotifications({ tag })) notification.close();
}

function notify(title: string, options: NotificationOptions & { renotify?: boolean }, shown: Shown): Promise<void> {
  return worker.registration.showNotification(title, { ...look, ...options, data: shown });
}

/** Sends the answer of a button; otherwise opens the prompt. */
async function act({ data, tag, title }: Notification, action: string): Promise<void> {
  const { path, buttons }: Shown = data;
  const button = buttons.find((each) => each.action === action);
  if (!button) return open(path);
  const said = await press(button).catch(() => 'The server did not answer. Open the question to try again.');
  return notify(title, { body: said, tag, silent: true }, { path, buttons: [] });
}

/** @returns the result, for the person who pressed */
async function press({ token, action }: Button): Promise<string> {
  const response = await fetch('/api/push/answer', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, action }),
  });
  const { error, vote } = await response.json();
  if (response.ok) return vote ? voteWords[action] : doneWords[action];
  return error?.message ?? 'It could not be answered.';
}

/** Shows a path in a page that is already open, otherwise in a new one. */
async function open(path: string): Promise<void> {
  const [page] = await worker.clients.matchAll({ type: 'window' });
  if (!page) {
    await worker.clients.openWindow(path);
    return;
  }
  page.postMessage({ type: 'open', path });
  await page.focus();
}

// Without a server the page is still shown, and reports that it has no connection.

const shellCache = 'shell';

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin || request.method !== 'GET') return;
  const isNavigation = request.mode === 'navigate';
  if (isNavigation && request.destination === 'document') event.respondWith(load(request)); // frames: the server decides
  if (!isNavigation && pathname.startsWith('/assets/')) event.respondWith(loadAsset(request));
});

async function load(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const shell = await (await caches.open(shellCache)).match('/', { ignoreVary: true });
    if (shell) return shell;
    throw error;
  }
}

/** Returns an asset, from the cache if possible: names change with the content, so a cached asset is never outdated. */
async function loadAsset(request: Request): Promise<Response> {
  const cache = await caches.open(shellCache);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Caches the page and what its first screen loads, for this release only. */
async function keepShell(): Promise<void> {
  await caches.delete(shellCache);
  const cache = await caches.open(shellCache);
  const response = await fetch('/', { cache: 'no-store' });
  const text = await response.clone().text();
  const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  await Promise.all([cache.put('/', response), cache.addAll([...new Set(files)])]);
}
