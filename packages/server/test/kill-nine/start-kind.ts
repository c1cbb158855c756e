/**
 * What happens to waiting calls when a victim starts: they are entered, their tools hibernate, or the start is careful (DUR6,
 * DUR10).
 */
export const startKinds = ['awake', 'asleep', 'careful'] as const;
export type StartKind = (typeof startKinds)[number];
