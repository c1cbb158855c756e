/** Where the attachment to Codex asks people, and what it takes at once, in bytes: a card shows the whole change. */
export const door = { path: '/hooks/codex', maxBytes: 4 * 1024 * 1024 } as const;
