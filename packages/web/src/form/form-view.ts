import type { InteractionRequest, Json } from '@parleyhq/core';
import { nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import { guardMs } from '../ui/misclick-guard.ts';
import type { FormState } from './view-part.ts';

/** The view of a form's request in place of its fields, for as long as it works and nobody wants the plain form (PLG10). */
export class FormView implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #change: (id: string, value: Json) => void;
  /** Most forms have no view: what draws one is loaded with the first. */
  #part: typeof import('./view-part.ts') | undefined;
  /** The prompt whose view failed. */
  #failed: string | undefined;
  #isPlain = false;
  /** In ms, on the page's clock. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost, change: (id: string, value: Json) => void) {
    this.#host = host;
    this.#change = change;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#settling);
  }

  /** Whether fields are drawn by the view. */
  replaces({ view, interactionId }: InteractionRequest): boolean {
    return view !== undefined && !this.#isPlain && this.#failed !== interactionId;
  }

  /** Whether the view changed the answer just now: a press would be meant for what was there before (SEC5). */
  isChanging(request: InteractionRequest): boolean {
    return this.replaces(request) && performance.now() - this.#changedAt < guardMs;
  }

  render(request: InteractionRequest, state: FormState) {
    const { view, interactionId } = request;
    if (!view) return nothing;
    const fail = () => {
      if (this.#failed !== interactionId) this.#host.requestUpdate();
      this.#failed = interactionId;
    };
    if (!this.#part) void this.#load().catch(fail); // the plain form needs nothing of it
    return this.#part?.renderView(request, state, {
      isShown: this.replaces(request),
      hasFailed: this.#failed === interactionId,
      onPropose: (proposed) => this.#take(proposed),
      onFail: fail,
      onToggle: () => {
        this.#isPlain = !this.#isPlain;
        this.#host.requestUpdate();
      },
    });
  }

  async #load(): Promise<void> {
    this.#part = await import('./view-part.ts');
    this.#host.requestUpdate();
  }

  #take(proposed: readonly (readonly [string, Json])[]): void {
    if (proposed.length === 0) return;
    for (const [id, value] of proposed) this.#change(id, value);
    this.#changedAt = performance.now();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#host.requestUpdate(), guardMs + 10);
  }
}
