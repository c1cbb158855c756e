import './one-time-link/standalone-pages.ts';
import './app/app.ts';
import { readKey } from './browser/login.ts';

// A log-in address pasted over this page's own differs only after the #, so the browser loads nothing by itself.
addEventListener('hashchange', () => readKey(location.hash) && location.reload());
