import type { ParleyClient, SessionClient } from '@parleyhq/client';
import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Updates its host at most once per animation frame, however often the state changes. */
export class FrameController implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #subscribe: (listener: () => void) => () => void;
  #stop: (() => void) | undefined;
  #frame: number | undefined;

  /** @param subscribe - without it, only `redraw` schedules an update */
  constructor(host: ReactiveControllerHost, subscribe: (listener: () => void) => () => void = () => () => {}) {
    this.#host = host;
    this.#subscribe = subscribe;
    host.addController(this);
  }

  hostConnected(): void {
    this.#stop = this.#subscribe(() => this.redraw());
  }

  hostDisconnected(): void {
    this.#stop?.();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  redraw(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#host.requestUpdate();
    });
  }
}

interface SessionHost extends ReactiveControllerHost {
  readonly client: ParleyClient;
  readonly sessionId: string;
}

/** Connects the state of a session with the elements that render it. Nothing else does. */
export class SessionController implements ReactiveController {
  readonly #host: SessionHost;
  readonly #frames: FrameController;
  readonly #onOpen: (session: SessionClient) => void;
  #session: SessionClient | undefined;
  #stop: (() => void) | undefined;

  /** @param onOpen - receives each session when it is opened, to subscribe to more than its state */
  constructor(host: SessionHost, onOpen: (session: SessionClient) => void) {
    this.#host = host;
    this.#onOpen = onOpen;
    this.#frames = new FrameController(host);
    host.addController(this);
  }

  /** Session that the host shows; undefined while the host is not in the document. */
  get session(): SessionClient | undefined {
    return this.#session;
  }

  hostUpdate(): void {
    if (this.#session?.sessionId === this.#host.sessionId) return;
    this.hostDisconnected();
    this.#session = this.#host.client.open(this.#host.sessionId);
    this.#stop = this.#session.subscribe(() => this.#frames.redraw());
    this.#onOpen(this.#session);
  }

  hostDisconnected(): void {
    this.#stop?.();
    this.#session?.close();
    this.#session = undefined;
  }

  hostConnected(): void {
    if (this.#session === undefined) this.#host.requestUpdate();
  }
}
