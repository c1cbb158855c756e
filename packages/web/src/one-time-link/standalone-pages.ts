/**
 * Pages that replace the app at some paths, without its log-in and socket (NTF3, PLG11). Runs before the app's elements are
 * defined.
 */
const pages: Readonly<Record<string, readonly [element: string, load: () => Promise<unknown>]>> = {
  '/once': ['parley-once', () => import('./once-page.ts')],
  '/return': ['parley-return', () => import('./return-page.ts')],
};
const page = pages[location.pathname];
if (page) {
  const [element, load] = page;
  document.querySelector('parley-app')?.replaceWith(document.createElement(element));
  void load();
}
