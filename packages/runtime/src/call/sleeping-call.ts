import { findPrompt, type OpenCall, type OpenPrompt, type Seq, type ToolCallId } from '@parleyhq/core';
import type { Change } from '../session/change.ts';
import { whatEnds } from '../session/unacknowledged.ts';
import { isForCode, type Journal } from './journal.ts';

/** Whether comments on a prompt are for the call's code; once it is pending, the tool has gone on. */
function isOpenForCode(prompt: OpenPrompt | undefined): boolean {
  return prompt?.state === 'open' && isForCode(prompt.request);
}

/** What wakes a call. */
interface Waking {
  /** Journal of earlier processes. */
  readonly journal: Journal;
  /** Whether a process presumed dead has acted on what woke the call, so that it is unknown what the call did (DUR4). */
  readonly isActedOn?: boolean;
}

/** What a call is re-entered with. */
export interface Wake extends Waking {
  /** Changes since it was found that its code must act on. */
  readonly missed: readonly Change[];
}

/** Returns the names of the call's waits that a change ends. */
export function endsOf({ before, events }: Change, id: ToolCallId): readonly string[] {
  return events.flatMap((event) => {
    const what = whatEnds(before, event);
    return what?.toolCallId === id ? [what.name] : [];
  });
}

/** An open call without a runner: its prompts can be answered, but none of its code is in memory (DUR10). */
export class SleepingCall {
  /** The call as it was found, and the seq of its session then. */
  readonly call: OpenCall;
  readonly seq: Seq;
  /** Whether something needs its code. */
  isRoused = false;
  /** Its journal, kept if a cancel has to find the hooks of its prompts (INT11). */
  journal: Journal | undefined;
  /** Whether neither a journal nor a timer must be kept for it: what ends its waits finds it in the store. */
  needsNothing = false;
  /** Resolves when it may be entered, or with undefined if it is over. */
  readonly woken: Promise<Waking | undefined>;
  /** Resolves when it waits again, or is over. */
  readonly rested: Promise<void>;
  readonly #heard: Change[] = [];
  #wake: (wake: Waking | undefined) => void = () => undefined;
  #rest: () => void = () => undefined;
  #stopTimer: () => void = () => undefined;

  constructor(call: OpenCall, seq: Seq) {
    this.call = call;
    this.seq = seq;
    this.woken = new Promise((resolve) => {
      this.#wake = resolve;
    });
    this.rested = new Promise((resolve) => {
      this.#rest = resolve;
    });
  }

  get id(): ToolCallId {
    return this.call.toolCallId;
  }

  get heard(): readonly Change[] {
    return this.#heard;
  }

  /** Names of its waits that ended since it was found. */
  get ended(): readonly string[] {
    return this.#heard.flatMap((change) => endsOf(change, this.id));
  }

  /** Whether nothing has happened to it that its code must act on. */
  get isUndisturbed(): boolean {
    return !this.isRoused && this.#heard.length === 0;
  }

  get isAtRest(): boolean {
    return this.isUndisturbed && this.needsNothing;
  }

  /** Records a change that its code must act on once it is entered. @returns whether its code is needed now */
  note(change: Change): boolean {
    const endsWait = endsOf(change, this.id).length > 0;
    const hasComment = this.#hasComment(change);
    if (endsWait || hasComment || change.posted?.toolCallId === this.id) this.#heard.push(change);
    return endsWait || hasComment || this.#hasLateAnswer(change);
  }

  /** Function that stops the timer by which the call wakes itself. */
  set timer(stop: () => void) {
    this.#stopTimer();
    this.#stopTimer = stop;
  }

  wake(wake: Waking): void {
    this.#wake(wake);
  }

  rest(): void {
    this.#rest();
  }

  /** Ends the sleep without waking the call: it is over, runs in another process, or has a runner. */
  end(): void {
    this.#stopTimer();
    this.#wake(undefined);
  }

  /** Whether the change is a comment to which the call's hook may reply (REV4). */
  #hasComment({ after, events }: Change): boolean {
    return events.some(
      (event) =>
        event.type === 'interaction_comment' &&
        event.payload.toolCallId === this.id &&
        !event.payload.isAskers &&
        isOpenForCode(findPrompt(after, event.payload.interactionId)),
    );
  }

  /** Whether the change is a late answer whose message the call's hook may write (INT9). */
  #hasLateAnswer({ prompts, events }: Change): boolean {
    return prompts.settled.some(
      ({ request, state }) =>
        state === 'pending' &&
        request.toolCallId === this.id &&
        request.hasLateHook === true &&
        events.some(({ type }) => type === 'interaction_response'),
    );
  }
}
