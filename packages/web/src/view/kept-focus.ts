import type { ReactiveController } from 'lit';

/** How long after a Tab key a move of the focus counts as caused by it, in ms. */
const keyMs = 1000;
/** A view may take the focus once for a field of its own while it loads. */
const mostTaken = 2;

/** Frames of all views on the page: a pointer over any of them counts. */
const frames = new Set<() => HTMLIFrameElement | null>();

/** Returns the focus after a frame has taken it by itself: what somebody types elsewhere must not go into a view (PLG10). */
export class KeptFocus implements ReactiveController {
  readonly #findFrame: () => HTMLIFrameElement | null;
  readonly #onInsist: () => void;
  #last: HTMLElement | undefined;
  #taken = 0;
  #tabbedAt = Number.NEGATIVE_INFINITY;

  /** @param onInsist - called if the frame takes the focus more often than by accident */
  constructor(findFrame: () => HTMLIFrameElement | null, onInsist: () => void) {
    this.#findFrame = findFrame;
    this.#onInsist = onInsist;
  }

  hostConnected(): void {
    frames.add(this.#findFrame);
    document.addEventListener('focusin', this.#note, true);
    document.addEventListener('keydown', this.#noteKey, true);
    window.addEventListener('blur', this.#judge);
  }

  hostDisconnected(): void {
    frames.delete(this.#findFrame);
    document.removeEventListener('focusin', this.#note, true);
    document.removeEventListener('keydown', this.#noteKey, true);
    window.removeEventListener('blur', this.#judge);
  }

  readonly #note = (event: Event): void => {
    const [target] = event.composedPath();
    if (target instanceof HTMLElement && !(target instanceof HTMLIFrameElement)) this.#last = target;
  };

  readonly #noteKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Tab') this.#tabbedAt = performance.now();
  };

  /**
   * The page lost the focus, but not to another window, so it went into a frame, whatever `activeElement` says. People who point
   * at a frame, or come to it by Tab, do so on purpose.
   */
  readonly #judge = (): void => {
    if (!document.hasFocus() || performance.now() - this.#tabbedAt < keyMs) return;
    if ([...frames].some((find) => find()?.matches(':hover'))) return;
    this.#taken += 1;
    if (this.#taken > mostTaken) this.#onInsist();
    setTimeout(() => {
      window.focus(); // once the move is complete; during it, this has no effect
      this.#last?.focus();
    });
  };
}
