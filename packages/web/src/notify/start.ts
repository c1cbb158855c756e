import { goTo, readRoute } from '../page/route.ts';
import { clearNotifications, startWorker } from './this-device.ts';

// Behind the first screen. A browser that refuses the worker, as in a private window, is one that cannot be told: the panel says so.
startWorker((path) => goTo(readRoute(path))).catch((error: unknown) => console.warn('no service worker', error));
document.addEventListener('visibilitychange', () => document.hidden || void clearNotifications());
