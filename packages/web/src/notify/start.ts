import { findMoment } from '../browser/idle.ts';
import { goTo, readRoute } from '../browser/route.ts';
import { clearNotifications, startWorker } from './this-device.ts';

/** In ms. */
const longestWait = 3000;

// Starts after the first screen, because the worker fetches the whole page again. Browsers may refuse it, as in a private window;
// the dialog then shows that they cannot be notified.
findMoment(longestWait)
  .then(() => startWorker((path) => goTo(readRoute(path))))
  .catch((error: unknown) => console.warn('no service worker', error));
document.addEventListener('visibilitychange', () => document.hidden || void clearNotifications());
