/** Where the proxy asks people. */
export const doorPath = '/hooks/acp';

/** Limit of what it takes at once: a permission shows the whole change. */
export const maxBytes = 4 * 1024 * 1024;
