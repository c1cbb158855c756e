/** Texts that replace a hidden call, and the message of its late answer, on the page and in exports (TEAM1). */
export const hiddenWords = {
  call: 'Hidden: for somebody else to answer.',
  message: 'Hidden: somebody else’s late answer.',
} as const;
