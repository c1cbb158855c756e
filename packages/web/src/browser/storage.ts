import type { TabStorage } from '@parleyhq/client';

/** What a browser's storage is where there is none: it lives as long as the page. Its items are its own members, as those of a real one. */
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

/** A browser forbids it in a frame of another site, and where people refuse cookies. */
function open(find: () => Storage): TabStorage {
  try {
    return find();
  } catch {
    return new PageStorage();
  }
}

/** Of this tab: it survives a reload. */
export const tabStorage: TabStorage = open(() => sessionStorage);

/** Of this browser on this device. */
export const deviceStorage: TabStorage = open(() => localStorage);
