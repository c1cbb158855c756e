import type { InputRequest, Json } from '@parleyhq/core';
import { nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import { guardMs } from '../ui/misclick-guard.ts';
import type { FormState } from './view-part.ts';

/** The view that a form's request shows in place of its fields, until it fails or somebody chooses the plain form (PLG10). */
export class FormView implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #change: (id: string, value: Json) => void;
  /** Loaded with the first view: most forms have none. */
  #part: typeof import('./view-part.ts') | undefined;
  /** Id of the prompt whose view failed. */
  #failed: string | undefined;
  #isPlain = false;
  /** Time of the view's last change, in ms on the page's clock. */
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

  /** Whether the view replaces the fields. */
  replaces({ view, interactionId }: InputRequest): boolean {
    return view !== undefined && !this.#isPlain && this.#failed !== interactionId;
  }

  /** Whether the view changed the answer a moment ago: a click now would be meant for the earlier answer (SEC5). */
  isChanging(request: InputRequest): boolean {
    return this.replaces(request) && performance.now() - this.#changedAt < guardMs;
  }

  render(request: InputRequest, state: FormState) {
    const { view, interactionId } = request;
    if (!view) return nothing;
    const fail = () => {
      if (this.#failed !== interactionId) this.#host.requestUpdate();
      this.#failed = interactionId;
    };
    if (!this.#part) void this.#load().catch(fail); // the plain form works without the view
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
