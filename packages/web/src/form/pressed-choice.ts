import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { guardMs } from '../ui/misclick-guard.ts';
import { takeBackMs } from './only-choice.ts';

/** What the form knows about its single choice. */
interface Choice {
  /** Whether an option that may be sent is chosen. */
  readonly isMade: () => boolean;
  readonly send: () => void;
}

const radio = '[type="radio"]';

/** A single choice that is answered by one click. It is sent after a moment, in which it can be undone or changed (WEB5). */
export class PressedChoice implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #choice: Choice;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the last input was a press; arrow keys only pass over options. */
  #isPressed = false;
  /** Time of the last undo, in ms on the page's clock. */
  #takenBackAt = Number.NEGATIVE_INFINITY;

  constructor(host: ReactiveControllerHost, choice: Choice) {
    this.#host = host;
    this.#choice = choice;
    host.addController(this);
  }

  /** Whether the answer is about to be sent. */
  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Whether the choice was undone a moment ago: the second click of a double-click hits the button that replaced "Take it back".
   */
  get isJustTakenBack(): boolean {
    return performance.now() - this.#takenBackAt < guardMs;
  }

  hostDisconnected(): void {
    this.end();
  }

  /** Notes whether the last input was a press: by a pointer, or by Space on the focused radio button. */
  readonly notePress = (event: PointerEvent | KeyboardEvent): void => {
    this.#isPressed =
      !(event instanceof KeyboardEvent) ||
      (event.key === ' ' && !event.repeat && (event.target as Element).matches(radio));
  };

  /** Answers after a press on a radio button, even if it was chosen already and so does not change. */
  readonly answerPressed = ({ target }: Event): void => {
    if (this.#isPressed && (target as Element).matches(`${radio}:checked`)) this.answerSoon();
  };

  /** Starts the wait before the choice is sent, if an option is chosen. */
  answerSoon(): void {
    this.end();
    if (!this.#choice.isMade()) return;
    this.#timer = setTimeout(this.#choice.send, takeBackMs);
    this.#host.requestUpdate();
  }

  /** Stops the wait. What is submitted afterwards is deliberate. */
  takeBack(): void {
    this.#takenBackAt = performance.now();
    this.end();
  }

  /** Stops the wait, so that nothing is sent by itself. */
  end(): void {
    if (!this.isRunning) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#host.requestUpdate();
  }
}
