/** The shells that complete the command. */
export const shells = ['bash', 'zsh', 'fish'] as const;
