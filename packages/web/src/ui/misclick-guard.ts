import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { EmbeddedVisibility } from './embedded-visibility.ts';

/** How long buttons must have been in place, in ms, before a press counts (SEC5). */
export const guardMs = 500;
const checkMs = 50;

/**
 * Ignores presses that were meant for what was there before: the buttons must have been visible, in the same place and for the
 * same subject for a while (SEC5). On another site's page, that page must not have hidden them during that time (WEB7).
 */
export class MisclickGuard implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #findPlace: () => Element;
  #subject: string | undefined;
  #box = '';
  #movedAt = 0;
  #isNew = true;
  #checking: ReturnType<typeof setInterval> | undefined;
  readonly #foreign: EmbeddedVisibility;
  #isInSight = true;

  /** @param findPlace - returns the element that the buttons move with, if that is not the host */
  constructor(host: ReactiveControllerHost & HTMLElement, findPlace: () => Element = () => host) {
    this.#host = host;
    this.#findPlace = findPlace;
    this.#foreign = new EmbeddedVisibility(host);
    host.addController(this);
  }

  /** Whether the buttons have not been in place long enough since their subject changed. */
  get isNew(): boolean {
    return this.#isNew;
  }

  hostConnected(): void {
    this.#checking = setInterval(() => this.#check(), checkMs);
  }

  hostDisconnected(): void {
    clearInterval(this.#checking);
    this.#subject = undefined;
  }

  /** Sets what the buttons are for. A change starts the wait again. */
  watch(subject: string): void {
    if (subject === this.#subject) return;
    this.#subject = subject;
    this.#isNew = true;
    this.#movedAt = performance.now();
  }

  /**
   * Whether a press counts. It must come from a person, not from a script. A key press goes to the focused button wherever that
   * is; a click counts only if the button has not just moved.
   */
  isMeant({ detail, isTrusted }: UIEvent): boolean {
    this.#check();
    return isTrusted && !this.#isNew && this.#isInSight && (detail === 0 || this.#stillMs >= guardMs);
  }

  get #stillMs(): number {
    return performance.now() - this.#movedAt;
  }

  #check(): void {
    const place = this.#findPlace();
    const wasInSight = this.#isInSight;
    this.#isInSight = this.#foreign.sees(place);
    const isSeen = place.checkVisibility({ contentVisibilityAuto: true });
    const { x, y, width, height } = isSeen ? place.getBoundingClientRect() : new DOMRect();
    const box = [x, y, width, height].map(Math.round).join();
    if (box !== this.#box || (this.#isInSight && !wasInSight)) this.#movedAt = performance.now();
    this.#box = box;
    if (!this.#isNew || this.#stillMs < guardMs) return;
    this.#isNew = false;
    this.#host.requestUpdate();
  }
}
