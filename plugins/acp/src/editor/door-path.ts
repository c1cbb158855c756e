/** Where the proxy asks people, and what it takes at once, in bytes: a permission shows the whole change. */
export const door = { path: '/hooks/acp', maxBytes: 4 * 1024 * 1024 } as const;
