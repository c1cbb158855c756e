import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { PushService } from '../../server/test/support/push-service.ts';
import { findViolations } from './axe.ts';
import { Parley } from './parley.ts';

// No push service can be reached here. The page gets a subscription to a push service of the test, and messages sent to that are
// decrypted and handed to the service worker as the browser would do it.

const service = new PushService();
let parley: Parley;
let folder: string;
let context: BrowserContext;
let page: Page;
let worker: Worker;
/** Path of the push service for this test's browser. */
let path: string;
let deliver: (data: object) => Promise<void>;

beforeAll(async () => {
  parley = new Parley();
  parley.env = { PARLEY_NOTIFY_AFTER_MS: '50', PARLEY_PRIVATE_RECEIVERS: 'true' };
  await Promise.all([parley.start(), service.start()]);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-browser-'));
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
  context = await chromium.launchPersistentContext(folder, { executablePath: process.env.CHROMIUM ?? '', args });
  const { origin } = new URL(parley.url);
  await context.grantPermissions(['notifications'], { origin });
  const { subscription, endpoint } = service.subscribe();
  path = new URL(endpoint).pathname;
  await context.addInitScript((subscription) => {
    let current: object | null = null;
    const unsubscribe = async () => {
      current = null;
      return true;
    };
    const made = { ...subscription, toJSON: () => subscription, unsubscribe };
    Object.assign(PushManager.prototype, {
      subscribe: async () => (current = made),
      getSubscription: async () => current,
    });
  }, subscription);
  page = await context.newPage();
  await page.goto(`${origin}/#token=${parley.token}`);
  await page.getByRole('button', { name: 'Account' }).waitFor();
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await countShown();
  const push = await makeDelivery(origin);
  deliver = (data) => untilShown(() => push(data));
});

afterEach(async () => {
  await context.close();
  await rm(folder, { recursive: true });
  service.messages.length = 0;
});

afterAll(() => Promise.all([parley.stop(), service.remove()]));

/** Returns a function that hands data to the service worker as a push message. */
async function makeDelivery(origin: string): Promise<(data: object) => Promise<void>> {
  const protocol = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    protocol.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
      if (found) resolve(found.registrationId);
    }),
  );
  await protocol.send('ServiceWorker.enable');
  const registrationId = await registered;
  return async (data) => {
    await protocol.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(data) });
  };
}

/** The part of the worker's scope that these tests use; the types of a page lack it. */
interface WorkerScope {
  shownCount: number;
  readonly registration: ServiceWorkerRegistration;
  readonly NotificationEvent: new (type: string, init: object) => Event;
  dispatchEvent(event: Event): boolean;
}

type ShownNotification = Notification & { readonly actions: readonly { readonly title: string }[] };

const shown = () =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as WorkerScope;
    const all = (await registration.getNotifications()) as ShownNotification[];
    return all.map(({ title, body, silent, actions }) => ({
      title,
      body,
      silent,
      actions: actions.map((each) => each.title),
    }));
  });

// Listing notifications while Chromium is about to show one makes it lose that one, so the tests count instead.

const countShown = () =>
  worker.evaluate(() => {
    const scope = self as unknown as WorkerScope;
    const { registration } = scope;
    const show = registration.showNotification.bind(registration);
    scope.shownCount = 0;
    registration.showNotification = async (...what) => {
      await show(...what);
      scope.shownCount += 1;
    };
  });

/** Does something that makes the worker show a notification, and waits until it is shown. */
async function untilShown(work: () => Promise<void>): Promise<void> {
  const count = () => worker.evaluate(() => (self as unknown as WorkerScope).shownCount);
  const before = await count();
  await work();
  await expect.poll(count).toBeGreaterThan(before);
}

/** Clicks a notification, which opens its prompt. */
const press = () => click('');

/** Clicks a button of a notification, which then shows the result. */
const pressButton = (action: 'approve' | 'deny') => untilShown(() => click(action));

const click = (action: string) =>
  worker.evaluate(async (pressed) => {
    const { registration, NotificationEvent, dispatchEvent } = self as unknown as WorkerScope;
    const [notification] = await registration.getNotifications();
    if (!notification) throw new Error('no notification is shown');
    dispatchEvent.call(self, new NotificationEvent('notificationclick', { notification, action: pressed }));
  }, action);

async function openPanel(): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Notifications', exact: true }).click();
  await page.getByRole('heading', { name: 'Notifications' }).waitFor();
}

const secret = { kind: 'command', text: 'rm -rf backups' };

const told = (type: string) => service.message((message) => message.path === path && message.data.type === type);

/** Turns notifications on, and hides the page. */
async function turnOn(detail: string): Promise<void> {
  await openPanel();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('On in this browser.').waitFor();
  const takesDetail = page.waitForResponse((response) => response.request().postData()?.includes('"detail":') ?? false);
  await Promise.all([takesDetail, page.getByLabel('What a message shows').selectOption(detail)]);
  await page.getByRole('button', { name: 'Close' }).click();
}

/** Asks from a program, while nobody looks at the page. */
async function askUnseen(args: object): Promise<string> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  const { origin } = new URL(parley.url);
  const response = await fetch(`${origin}/api/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${parley.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      channel: path.split('/').at(-1),
      toolName: 'request_approval',
      args,
      from: { name: 'Night shift' },
    }),
  });
  return ((await response.json()) as { toolCallId: string }).toolCallId;
}

async function outcomeOf(toolCallId: string): Promise<unknown> {
  const { origin } = new URL(parley.url);
  const headers = { authorization: `Bearer ${parley.token}` };
  return (await fetch(`${origin}/api/calls/${toolCallId}?wait=20`, { headers })).json();
}

test('[NTF2] the dialog turns notifications on, tests them, sets their content and quiet hours, and turns them off', async () => {
  await openPanel();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('On: this browser notifies you from now on.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send a test' }).click();
  const { data } = await told('test');
  await deliver(data);
  await expect.poll(shown).toMatchObject([{ title: 'Parley', body: 'Notifications work on this device.' }]);
  await page.getByLabel('Quiet hours').check();
  await page.getByLabel('Quiet from').fill('23:15');
  await page.getByLabel('Quiet from').blur();
  await page.getByRole('button', { name: 'Close' }).click();
  await openPanel();
  await expect.poll(() => page.getByLabel('Quiet from').inputValue()).toBe('23:15');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('button', { name: 'Turn on' }).waitFor();
});

test('[NTF1, NTF2] a notification shows what waits, its button denies, and it disappears when no answer is needed', async () => {
  await turnOn('title');
  const call = await askUnseen({ title: 'Delete the backups?', subject: secret });
  const { data } = await told('waiting');
  await deliver(data);
  await expect
    .poll(shown)
    .toMatchObject([{ title: 'Night shift', body: 'Delete the backups?', silent: false, actions: ['Deny'] }]);
  await pressButton('deny');
  expect(await outcomeOf(call)).toMatchObject({ status: 'done', result: { approved: false } });
  await expect.poll(shown).toMatchObject([{ title: 'Night shift', body: 'Denied.', silent: true, actions: [] }]);
  await deliver((await told('settled')).data);
  await expect.poll(shown).toEqual([]);
});

test('[NTF2] "Allow once" answers a short subject that is shown; on an answered prompt it says so', async () => {
  await turnOn('subject');
  const call = await askUnseen({ title: 'Run it?', subject: { kind: 'command', text: 'npm test' } });
  const { data } = await told('waiting');
  await deliver(data);
  await expect.poll(shown).toMatchObject([{ body: 'Run it?\nnpm test', actions: ['Deny', 'Allow once'] }]);
  await pressButton('approve');
  expect(await outcomeOf(call)).toMatchObject({ result: { approved: true } });
  await deliver(data);
  await expect.poll(shown).toMatchObject([{ actions: ['Deny', 'Allow once'] }]);
  await pressButton('deny');
  await expect.poll(shown).toMatchObject([{ body: expect.stringMatching(/answered/), actions: [] }]);
});

test('[NTF2] a click elsewhere on a notification takes an open page to the card', async () => {
  await turnOn('title');
  await askUnseen({ title: 'Delete the backups?', subject: secret });
  const { data } = await told('waiting');
  await deliver(data);
  await expect.poll(shown).toMatchObject([{ body: 'Delete the backups?' }]);
  await press();
  await page.waitForURL(String(data.url));
  await page.getByText('Delete the backups?').first().waitFor();
});

test('[NTF2] the page can be installed, and opens without a server', async () => {
  const manifest = await (await fetch(new URL('/manifest.webmanifest', parley.url))).json();
  expect(manifest).toMatchObject({ name: 'Parley', display: 'standalone', start_url: '/' });
  for (const { src, type } of manifest.icons) {
    const icon = await fetch(new URL(src, parley.url));
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
  }
  await page.reload();
  await parley.kill();
  await page.reload();
  await page.getByText('The server is not responding.').first().waitFor();
  await parley.start();
});
