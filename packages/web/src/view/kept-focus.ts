import type { ReactiveController } from 'lit';

/** In ms: how long after a Tab key the focus may have gone where that key sent it. */
const keyMs = 1000;
/** A page may focus a field of its own once when it is drawn. */
const mostTaken = 2;

/** Of all views on the page: what is pointed at is looked for in each. */
const frames = new Set<() => HTMLIFrameElement | null>();

/** Gives the focus back that a frame took by itself: what somebody types elsewhere is not for it (PLG10). */
export class KeptFocus implements ReactiveController {
  readonly #findFrame: () => HTMLIFrameElement | null;
  readonly #onInsist: () => void;
  #last: HTMLElement | undefined;
  #taken = 0;
  #tabbedAt = Number.NEGATIVE_INFINITY;

  /** @param onInsist - the frame took it more often than by accident */
  constructor(findFrame: () => HTMLIFrameElement | null, onInsist: () => void) {
    this.#findFrame = findFrame;
    this.#onInsist = onInsist;
  }

  hostConnected(): void {
    frames.add(this.#findFrame);
    document.addEventListener('focusin', this.#note, true);
    document.addEventListener('keydown', this.#hearKey, true);
    window.addEventListener('blur', this.#judge);
  }

  hostDisconnected(): void {
    frames.delete(this.#findFrame);
    document.removeEventListener('focusin', this.#note, true);
    document.removeEventListener('keydown', this.#hearKey, true);
    window.removeEventListener('blur', this.#judge);
  }

  readonly #note = (event: Event): void => {
    const [target] = event.composedPath();
    if (target instanceof HTMLElement && !(target instanceof HTMLIFrameElement)) this.#last = target;
  };

  readonly #hearKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Tab') this.#tabbedAt = performance.now();
  };

  /**
   * The focus went, and not to another window: so it is in a frame, whatever `activeElement` says. Whoever points at a frame, or came
   * to it by Tab, means it.
   */
  readonly #judge = (): void => {
    if (!document.hasFocus() || performance.now() - this.#tabbedAt < keyMs) return;
    if ([...frames].some((find) => find()?.matches(':hover'))) return;
    this.#taken += 1;
    if (this.#taken > mostTaken) this.#onInsist();
    setTimeout(() => {
      window.focus(); // once it is there: on its way nothing stops it
      this.#last?.focus();
    });
  };
}
