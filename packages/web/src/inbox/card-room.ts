/** Matches while the open card fits next to the list of the inbox. */
export const hasRoomForCard: MediaQueryList = matchMedia('(min-width: 68.75rem)');
