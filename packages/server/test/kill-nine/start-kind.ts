/**
 * What happens to waiting calls when a victim starts: they are entered, their tools hibernate, or the start is careful (DUR6,
 * DUR10). In a `quiet` one their tools hibernate, and they leave memory as soon as they wait.
 */
export const startKinds = ['awake', 'asleep', 'quiet', 'careful'] as const;
export type StartKind = (typeof startKinds)[number];
