import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { EmbeddedVisibility } from '../ui/embedded-visibility.ts';

const checkMs = 50;

/**
 * Observes whether everything that a person is asked about was in view: whether the end of each part was visible and uncovered at
 * some time, at any size and zoom, or was expanded (WEB7, SEC12). Parts mark their end by an element of the class `end`.
 * @fires parley-sight - all of it was in view
 */
export class SeenToEnd implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #findEnds: () => readonly Element[];
  #subject: string | undefined;
  #seen = new WeakSet<Element>();
  #isComplete = false;
  #checking: ReturnType<typeof setInterval> | undefined;
  readonly #foreign: EmbeddedVisibility;

  constructor(host: ReactiveControllerHost & HTMLElement, findEnds: () => readonly Element[]) {
    this.#host = host;
    this.#findEnds = findEnds;
    this.#foreign = new EmbeddedVisibility(host);
    host.addController(this);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Sets what is asked about. After a change everything has to be seen again. */
  watch(subject: string): void {
    if (subject === this.#subject) return;
    this.#subject = subject;
    this.#seen = new WeakSet();
    this.#isComplete = false;
    this.#start();
  }

  hostConnected(): void {
    this.#start();
  }

  hostDisconnected(): void {
    clearInterval(this.#checking);
  }

  #start(): void {
    clearInterval(this.#checking);
    if (!this.isComplete) this.#checking = setInterval(() => this.#check(), checkMs);
  }

  #check(): void {
    if (document.hidden) return;
    const ends = this.#findEnds(); // looked up each time, because a re-rendered part has a new end
    for (const end of ends) if (!this.#seen.has(end) && isInView(end) && this.#foreign.sees(end)) this.#seen.add(end);
    if (ends.length === 0 || !ends.every((end) => this.#seen.has(end))) return;
    this.#isComplete = true;
    clearInterval(this.#checking);
    this.#host.requestUpdate();
    this.#host.dispatchEvent(new CustomEvent('parley-sight', { bubbles: true, composed: true }));
  }
}

/** Whether an element is expanded, or its middle is within the page and not covered. */
function isInView(element: Element): boolean {
  if (element.hasAttribute('data-expanded')) return true;
  if (!element.checkVisibility({ contentVisibilityAuto: true })) return false;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  let hit = document.elementFromPoint(x, y);
  while (hit && hit !== element) {
    const inner: Element | null = hit.shadowRoot?.elementFromPoint(x, y) ?? null;
    if (inner === hit) return false;
    hit = inner;
  }
  return hit === element;
}
