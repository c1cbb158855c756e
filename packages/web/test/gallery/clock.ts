/** When everything in the gallery happens. */
export const galleryNow = Date.parse('2026-03-02T10:00:00.000Z');

/** Moments pass in the gallery, hours do not: what waits for half a second does so for a hundredth, and it is always the same time. */
const hurry = 50;
const moment = 1000;

const RealDate = Date;
const realTimeout = setTimeout;
const realNow = performance.now.bind(performance);

class GalleryDate extends RealDate {
  constructor(...args: [] | [string | number]) {
    super(args[0] ?? galleryNow);
  }

  static override now(): number {
    return galleryNow;
  }
}

Object.assign(globalThis, {
  Date: GalleryDate,
  setTimeout: (run: () => void, ms = 0) => realTimeout(run, ms <= moment ? ms / hurry : ms),
});
performance.now = () => realNow() * hurry;

/** By the clock on the wall. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => realTimeout(resolve, ms));
