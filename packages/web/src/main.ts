import './once/make-way.ts';
import './app/app.ts';
import { readKey } from './browser/login.ts';

// An address to log in with that is pasted over this page's differs behind the # alone, which loads nothing.
addEventListener('hashchange', () => readKey(location.hash) && location.reload());
