/** The shells for which there is a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;
