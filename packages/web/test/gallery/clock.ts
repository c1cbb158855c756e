/** The time at which everything in the gallery happens. */
export const galleryNow = Date.parse('2026-03-02T10:00:00.000Z');

/** Short timers and `performance.now` run faster by this factor, and the date stands still. */
const hurry = 50;
/** Timers up to this many ms are short; longer ones run at real speed. */
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

/** Waits in real time. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => realTimeout(resolve, ms));
