import type { TabStorage } from '@parleyhq/client';

/** Replaces a storage that the browser denies, and lives as long as the page. Items are own members, as in a real storage. */
class PageStorage implements TabStorage {
  [key: string]: unknown;

  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(this[key]) : null;
  }

  setItem(key: string, value: string): void {
    this[key] = value;
  }

  removeItem(key: string): void {
    delete this[key];
  }
}

/** Opens a storage. Browsers deny it in a frame of another site, and to people who refuse cookies. */
function open(find: () => Storage): TabStorage {
  try {
    return find();
  } catch {
    return new PageStorage();
  }
}

/** Storage of this tab; it survives a reload. */
export const tabStorage: TabStorage = open(() => sessionStorage);

/** Storage of this browser, shared by its tabs. */
export const deviceStorage: TabStorage = open(() => localStorage);
