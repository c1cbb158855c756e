import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { findEmbedding } from '../browser/embedding.ts';

/** How often browsers update the visibility at most, in ms. */
const delayMs = 100;

/** Options of an observer that also detects covering, fading and transforming, in outer frames as well. */
type VisibilityOptions = IntersectionObserverInit & { readonly trackVisibility: boolean; readonly delay: number };

const canTrack = 'IntersectionObserver' in globalThis && 'trackVisibility' in IntersectionObserver.prototype;

/** Whether another page shows this one in a frame, and can hide it in ways that this page cannot detect itself. */
const isFramed = (): boolean => window.top !== window.self;

/**
 * Observes whether a person can see an element on another site's page, in a frame or in one of our elements: it must not be
 * covered, transparent or moved out of view (WEB7, T11). On our own page, and in browsers without support, everything counts as
 * seen.
 */
export class EmbeddedVisibility implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  #observer: IntersectionObserver | undefined;
  #seen = new WeakMap<Element, boolean>();

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    if (!canTrack || !(isFramed() || findEmbedding(this.#host))) return;
    const options: VisibilityOptions = { trackVisibility: true, delay: delayMs, threshold: [0, 0.5, 1] };
    this.#observer = new IntersectionObserver((entries) => {
      for (const entry of entries) this.#seen.set(entry.target, 'isVisible' in entry && entry.isVisible === true);
    }, options);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#observer = undefined;
    this.#seen = new WeakMap(); // observed again after the host is connected again
  }

  /** Whether the element is visible; false until the browser has reported it. */
  sees(element: Element): boolean {
    if (!this.#observer) return true;
    if (!this.#seen.has(element)) this.#watch(this.#observer, element);
    return this.#seen.get(element) ?? false;
  }

  #watch(observer: IntersectionObserver, element: Element): void {
    this.#seen.set(element, false);
    observer.observe(element);
  }
}
