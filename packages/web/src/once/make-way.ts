/** A one-time link opens one card, and nothing else of the page: no log-in, no socket (NTF3). Runs before the page's own elements are defined. */
if (location.pathname === '/once') {
  document.querySelector('parley-app')?.replaceWith(document.createElement('parley-once'));
  void import('./once-page.ts');
}
