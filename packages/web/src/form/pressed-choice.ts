import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { guardMs } from '../ui/misclick-guard.ts';
import { takeBackMs } from './only-choice.ts';

/** What the form knows of its single choice. */
interface Choice {
  /** Whether an option is chosen that may be sent. */
  readonly isMade: () => boolean;
  readonly send: () => void;
}

const radio = '[type="radio"]';

/** A single choice that one press answers, in a moment: until then it can be taken back, or be another (WEB5). */
export class PressedChoice implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #choice: Choice;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last that happened was a press; arrows choose as they pass. */
  #isPressed = false;
  /** In ms, on the page's clock. */
  #takenBackAt = Number.NEGATIVE_INFINITY;

  constructor(host: ReactiveControllerHost, choice: Choice) {
    this.#host = host;
    this.#choice = choice;
    host.addController(this);
  }

  /** The answer is about to be sent. */
  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** It was just taken back: a second press hits what stands in the place of that button. */
  get isJustTakenBack(): boolean {
    return performance.now() - this.#takenBackAt < guardMs;
  }

  hostDisconnected(): void {
    this.end();
  }

  /** A pointer presses what it is on, and Space the radio button that has the focus; other keys press nothing. */
  readonly notePress = (event: PointerEvent | KeyboardEvent): void => {
    this.#isPressed =
      !(event instanceof KeyboardEvent) ||
      (event.key === ' ' && !event.repeat && (event.target as Element).matches(radio));
  };

  /** A choice came of it, or what was pressed was the choice already: then nothing changes. */
  readonly answerPressed = ({ target }: Event): void => {
    if (this.#isPressed && (target as Element).matches(`${radio}:checked`)) this.answerSoon();
  };

  /** Begins the moment, where there is something to send. */
  answerSoon(): void {
    this.end();
    if (!this.#choice.isMade()) return;
    this.#timer = setTimeout(this.#choice.send, takeBackMs);
    this.#host.requestUpdate();
  }

  /** Nothing is sent by itself any more, and what is sent afterwards was meant. */
  takeBack(): void {
    this.#takenBackAt = performance.now();
    this.end();
  }

  /** Nothing is sent by itself any more. */
  end(): void {
    if (!this.isRunning) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#host.requestUpdate();
  }
}
