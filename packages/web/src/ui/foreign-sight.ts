import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { findEmbedding } from '../browser/embedding.ts';

/** How old what is known may be, in ms: browsers look no more often. */
const delayMs = 100;

/** Of an observer that also looks for what covers, fades or transforms an element, in the frames around as well. */
type VisibilityOptions = IntersectionObserverInit & { readonly trackVisibility: boolean; readonly delay: number };

const canTrack = 'IntersectionObserver' in globalThis && 'trackVisibility' in IntersectionObserver.prototype;

/** Whether another page shows this one, and can do to it what this one cannot see. */
const isFramed = (): boolean => window.top !== window.self;

/**
 * Tells whether a person sees an element where a page of somebody else's shows it, in a frame or as an element of ours: not one
 * that is covered, transparent or moved out of sight (WEB7, T11). On our own page, and in browsers that cannot tell, everything
 * counts as seen.
 */
export class ForeignSight implements ReactiveController {
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
    this.#seen = new WeakMap(); // they are looked at anew when it comes back
  }

  /** False until the browser has said that it is. */
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
