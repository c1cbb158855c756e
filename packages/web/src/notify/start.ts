import { findMoment } from '../browser/idle.ts';
import { goTo, readRoute } from '../browser/route.ts';
import { clearNotifications, startWorker } from './this-device.ts';

/** In ms. */
const longestWait = 3000;

// Behind the first screen: the worker reads all of the page once more. A browser that refuses it, as in a private window, is one
// that cannot be told: the panel says so.
findMoment(longestWait)
  .then(() => startWorker((path) => goTo(readRoute(path))))
  .catch((error: unknown) => console.warn('no service worker', error));
document.addEventListener('visibilitychange', () => document.hidden || void clearNotifications());
