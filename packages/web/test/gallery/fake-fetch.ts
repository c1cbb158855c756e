/** Devices that are logged in. */
const logins = [
  {
    id: 'a',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    address: '192.0.2.7',
    createdAt: '2026-03-01T09:00:00.000Z',
    isCurrent: true,
  },
  {
    id: 'b',
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    address: '198.51.100.20',
    createdAt: '2026-02-27T18:30:00.000Z',
  },
  { id: 'c' },
];

/** Passkeys, one of them for another address of the server. */
const passkeys = [
  {
    ...{ id: 'k', credentialId: 'k', name: 'Chrome on Linux', origin: location.origin },
    fingerprint: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
    ...{ createdAt: '2026-02-27T18:30:00.000Z', lastUsedAt: '2026-03-02T09:12:00.000Z' },
  },
  {
    ...{ id: 'l', credentialId: 'l', name: 'Blue key', origin: 'https://parley.example.org' },
    fingerprint: 'SHA256:uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek',
    createdAt: '2026-02-28T08:05:00.000Z',
  },
];

/** Browsers that get notifications. */
const subscriptions = [{ id: 'p', createdAt: '2026-02-27T18:30:00.000Z', name: 'Safari on iPhone', detail: 'title' }];

/** Notifications that were sent. */
const deliveries = [
  { interactionId: 'c.1', sessionId: 's', target: 'device:p', state: 'sent', at: '2026-03-02T09:41:00.000Z' },
  { interactionId: 'c.1', sessionId: 's', target: 'mail:owner', state: 'withdrawn', at: '2026-03-02T09:41:00.000Z' },
  {
    interactionId: 'b.1',
    sessionId: 's',
    target: 'ntfy:owner',
    state: 'failed',
    at: '2026-03-01T23:10:00.000Z',
    fault: 'ntfy.example.org answered 403',
  },
];

const noCases = {
  ...{ asked: 0, approved: 0, denied: 0, submitted: 0, cancelled: 0, timeout: 0, withdrawn: 0, open: 0 },
  ...{ byGrant: 0, byPolicy: 0, byMode: 0, byReviewer: 0, refused: 0, edited: 0, unread: 0, sampled: 0, disputed: 0 },
};

const ofCommands = {
  approved: 171,
  denied: 9,
  edited: 4,
  unread: 96,
  byGrant: 412,
  byReviewer: 31,
  sampled: 12,
  disputed: 1,
};
const ofFiles = { approved: 38, denied: 2, unread: 5, byMode: 120 };

/** The server's statistics. */
export const statistics: { reply: object } = {
  reply: {
    by: 'tool',
    total: {
      ...noCases,
      ...ofCommands,
      asked: 224,
      approved: 209,
      denied: 11,
      submitted: 3,
      open: 1,
      medianMs: 4200,
      p95Ms: 310_000,
    },
    groups: [
      { key: 'run_command', ...noCases, ...ofCommands, asked: 181, open: 1, medianMs: 1900, p95Ms: 64_000 },
      { key: 'delete_files', ...noCases, ...ofFiles, asked: 40, medianMs: 21_000, p95Ms: 1_900_000 },
      { key: 'ask_human', ...noCases, asked: 3, submitted: 3, medianMs: 95_000, p95Ms: 430_000 },
    ],
    left: 0,
  },
};

export const nothingCounted = { by: 'tool', total: noCases, groups: [], left: 0 };

/** The server's replies to a one-time link. `opens` is undefined if the server does not respond. */
export const onceLink: { opens: (() => Response) | undefined; takes: () => Response } = {
  opens: undefined,
  takes: () => Response.json({ ok: true }),
};

/** The server's reply to a browser that returns from another site. */
export const comesBack: { reply: () => Response } = { reply: () => Response.json({ ok: true }) };

export const refuse = (status: number, code: string, message: string) =>
  Response.json({ error: { code, message } }, { status });

/** Answers the page's HTTP requests as the server does. */
export async function fakeFetch(input: string): Promise<Response> {
  const path = String(input);
  if (path.endsWith('/api/once'))
    return onceLink.opens ? onceLink.opens() : Promise.reject(new TypeError('No network'));
  if (path.endsWith('/api/once/answer')) return onceLink.takes();
  if (path.endsWith('/api/return')) return comesBack.reply();
  if (path.endsWith('/api/push/subscriptions')) return Response.json({ subscriptions });
  if (path.includes('/api/deliveries')) return Response.json({ deliveries });
  if (path.includes('/api/stats')) return Response.json(statistics.reply);
  if (path.endsWith('/api/links')) return Response.json({ links: [], chats: [] });
  if (path.endsWith('/api/passkeys')) return Response.json({ passkeys });
  if (path.endsWith('/api/logins')) return Response.json({ logins });
  if (path.endsWith('/api/logins/end')) return refuse(403, 'login_again', 'Log in again first.');
  if (path.includes('/api/login')) return refuse(401, 'unauthorised', 'This token is invalid.');
  if (/\/files(\/|$)/.test(path))
    return Response.json({ fileId: 'f', offset: 450_000, size: 1_000_000 }, { status: 201 });
  if (path.includes('/uploads/')) return new Promise(() => undefined);
  return Response.json({});
}
