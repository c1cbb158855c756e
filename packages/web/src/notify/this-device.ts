import type { DeliveryState, NotificationDetail, QuietHours } from '@parleyhq/core';
import { describeDevice } from '../browser/tab.ts';
import { setToldByPush } from './push-state.ts';

/** A browser that gets notifications, as the server knows it. */
export interface TellableDevice {
  readonly id: string;
  readonly createdAt: string;
  readonly name: string;
  readonly detail: NotificationDetail;
  readonly quiet?: QuietHours;
}

/** A notification that was sent to one of them, or is due. */
export interface ToldOf {
  readonly interactionId: string;
  readonly sessionId: string;
  readonly target: string;
  readonly state: DeliveryState;
  readonly at: string;
  readonly fault?: string;
}

export interface DeviceWish {
  readonly detail?: NotificationDetail;
  readonly quiet?: QuietHours | null;
}

/** Whether this browser can get notifications at all, which needs https or the local machine. */
export const canBeTold = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

const workerPath = '/sw.js';

/** The part of Trusted Types that the page uses, in browsers that have them. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(path: string): string },
  ): { createScriptURL(path: string): unknown };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

/** Allows only the script of the worker. */
const policy = trustedTypes?.createPolicy('parley-worker', {
  createScriptURL: (path) => {
    if (path !== workerPath) throw new TypeError(`${path} is not the worker`);
    return path;
  },
});

/** Starts the worker that receives notifications. @param goTo - opens the path of a notification that was clicked */
export async function startWorker(goTo: (path: string) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (data?.type === 'open' && typeof data.path === 'string') goTo(data.path);
  });
  await register();
  setToldByPush((await findSubscription()) !== null);
}

/** Removes the notifications, because the page is now in view. */
export async function clearNotifications(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const notification of (await registration?.getNotifications()) ?? []) notification.close();
}

/** Asks for permission, and subscribes at the push service and the server. @throws Error that explains why it failed */
export async function turnOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('This browser does not let Parley notify you: allow it in the settings of the page.');
  const { key } = (await request('GET', '/api/push/key')) as { key: string };
  const { pushManager } = await register();
  const subscribe = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  // an existing subscription may have another server's key, or this one's from before it was restored; it would be useless
  const subscription = await subscribe().catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe();
    return subscribe();
  });
  await request('POST', '/api/push/subscriptions', { subscription: subscription.toJSON(), name: describeDevice() });
  setToldByPush(true);
}

/** Stops notifications in this browser. */
export async function turnOff(): Promise<void> {
  const subscription = await findSubscription();
  setToldByPush(false);
  if (!subscription) return;
  await subscription.unsubscribe();
  await request('DELETE', '/api/push/subscriptions', { endpoint: subscription.endpoint }).catch(acceptAbsence);
}

/** Changes which notifications this browser gets. */
export async function change(wish: DeviceWish): Promise<void> {
  const subscription = await findSubscription();
  if (!subscription) throw new Error('Notifications are off in this browser: turn them on again.');
  await request('POST', '/api/push/subscriptions', { subscription: subscription.toJSON(), ...wish });
}

/** Forgets another browser. */
export async function forget(id: string): Promise<void> {
  await request('DELETE', '/api/push/subscriptions', { id }).catch(acceptAbsence);
}

/** Makes the server send a test message. @throws Error that explains why the push service did not accept it */
export async function sendTest(id: string): Promise<void> {
  await request('POST', '/api/push/test', { id });
}

export async function listDevices(): Promise<readonly TellableDevice[]> {
  return ((await request('GET', '/api/push/subscriptions')) as { subscriptions: TellableDevice[] }).subscriptions;
}

export async function listTold(): Promise<readonly ToldOf[]> {
  return ((await request('GET', '/api/deliveries?limit=20')) as { deliveries: ToldOf[] }).deliveries;
}

/** Returns this browser's device, and binds its subscription to the current log-in. */
export async function findThis(): Promise<TellableDevice | undefined> {
  const subscription = await findSubscription();
  if (!subscription) return undefined;
  const body = { subscription: subscription.toJSON() };
  return ((await request('POST', '/api/push/subscriptions', body)) as { subscription: TellableDevice }).subscription;
}

async function register(): Promise<ServiceWorkerRegistration> {
  const path = policy?.createScriptURL(workerPath) ?? workerPath;
  await navigator.serviceWorker.register(path as string, { scope: '/' });
  return navigator.serviceWorker.ready;
}

async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker?.getRegistration();
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

class ServerRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Ignores that something to be deleted does not exist any more. */
function acceptAbsence(error: unknown): void {
  if (!(error instanceof ServerRefusal && error.status === 404)) throw error;
}

async function request(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => undefined);
  if (!response) throw new Error('The server is not responding.');
  if (response.status === 204) return undefined;
  const answer = await response.json();
  if (!response.ok) throw new ServerRefusal(response.status, answer.error?.message ?? 'The server refused it.');
  return answer;
}
