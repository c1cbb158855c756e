import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** A press that was meant for what stood here before must not allow anything (SEC5). */
export const settlingMs = 500;
const lookMs = 50;

/** Whether buttons have stood where they are, and for what they are, long enough for a press to be meant for them. */
export class Settling implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  #subject: string | undefined;
  #place = '';
  #movedAt = 0;
  #isNew = true;
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host;
    host.addController(this);
  }

  /** Whether they have not stood still since they are for this. */
  get isNew(): boolean {
    return this.#isNew;
  }

  hostConnected(): void {
    this.#looking = setInterval(() => this.#look(), lookMs);
  }

  hostDisconnected(): void {
    clearInterval(this.#looking);
    this.#subject = undefined;
  }

  /** What the buttons are for. Something else than before begins anew. */
  watch(subject: string): void {
    if (subject === this.#subject) return;
    this.#subject = subject;
    this.#isNew = true;
    this.#movedAt = performance.now();
  }

  /** A key is meant for the button that has the focus, wherever it stands; a pointer only for what has not moved under it. */
  isMeant({ detail }: UIEvent): boolean {
    this.#look();
    return !this.#isNew && (detail === 0 || this.#stoodMs >= settlingMs);
  }

  get #stoodMs(): number {
    return performance.now() - this.#movedAt;
  }

  #look(): void {
    const isSeen = this.#host.checkVisibility({ contentVisibilityAuto: true });
    const { x, y, width, height } = isSeen ? this.#host.getBoundingClientRect() : new DOMRect();
    const place = [x, y, width, height].map(Math.round).join();
    if (place !== this.#place) this.#movedAt = performance.now();
    this.#place = place;
    if (!this.#isNew || this.#stoodMs < settlingMs) return;
    this.#isNew = false;
    this.#host.requestUpdate();
  }
}
