import {
  type ChatEvent,
  type CodedError,
  type InteractionRequest,
  type InteractionResponse,
  isRecord,
  type JournalRecord,
  type Json,
  type OpenCall,
  type Payload,
  recoverySlot,
  redacted,
  type Session,
  type Store,
} from '@parleyhq/core';
import { isOpenStep } from './steps.ts';

/** The prompts of one slot: the digest that a re-entered handler must match is the first one's (DUR5). */
export interface SlotHistory {
  readonly first: InteractionRequest;
  readonly last: PastAttempt;
}

/** The newest prompt of a slot, as far as it came. */
export interface PastAttempt {
  readonly request: InteractionRequest;
  readonly state: 'open' | 'expired' | 'answered' | 'closed';
  /** Its tool went on: whatever becomes of the prompt later is a message, and nothing to the call (INT9). */
  readonly pending: Payload<'interaction_pending'> | undefined;
  readonly response: InteractionResponse | undefined;
  readonly closed: ChatEvent<'interaction_closed'>['payload'] | undefined;
  /** What its hook came to, if that was recorded. */
  readonly outcome: Verdict | undefined;
  /** Its answer is its outcome, or something was recorded, though a secret in it may have taken the value. */
  readonly isDecided: boolean;
}

/** What a prompt came to in its hooks: the value of its promise, or what that rejected with. */
export type Verdict = { readonly value: Json } | { readonly error: CodedError };

/** How often in a row the call was entered again, and whether the last entry came to wait. */
export interface Entries {
  readonly count: number;
  readonly hasArrived: boolean;
}

const entriesKey = 'entries';

/** What a call did in an earlier process: its prompts from the log, their outcomes from its records. */
export class Journal {
  readonly #slots: ReadonlyMap<string, SlotHistory>;
  readonly #records: ReadonlyMap<string, Json>;

  private constructor(slots: ReadonlyMap<string, SlotHistory>, records: ReadonlyMap<string, Json>) {
    this.#slots = slots;
    this.#records = records;
  }

  static readonly empty = new Journal(new Map(), new Map());

  /** @param row - as it is stored when an earlier process's work is taken up: what follows is the new one's */
  static async read(store: Pick<Store, 'events' | 'index'>, row: Session, call: OpenCall): Promise<Journal> {
    const records = new Map((await store.index.records(row.id, call.toolCallId)).map(({ key, value }) => [key, value]));
    const slots = new Map<string, SlotHistory>();
    for await (const texts of store.events.read(row.id, call.seq, row.seq - call.seq)) {
      for (const text of texts) note(slots, records, call.toolCallId, JSON.parse(text));
    }
    return new Journal(slots, records);
  }

  find(slot: string): SlotHistory | undefined {
    return this.#slots.get(slot);
  }

  /** What was recorded under a key of `Steps`. */
  recorded(key: string): Json | undefined {
    return this.#records.get(key);
  }

  get entries(): Entries {
    return (this.#records.get(entriesKey) as unknown as Entries | undefined) ?? { count: 0, hasArrived: false };
  }

  /**
   * Whether the call did nothing but wait: a prompt is open, every claim has its recorded outcome, and no step
   * was running (DUR2). An open recovery prompt is no wait of the call's own.
   */
  get isWaiting(): boolean {
    const own = [...this.#slots].filter(([slot]) => slot !== recoverySlot).map(([, { last }]) => last);
    const isStepOpen = [...this.#records].some(([key, record]) => isOpenStep(key, record));
    return own.some(({ state }) => state === 'open') && own.every(needsNothing) && !isStepOpen;
  }

  static entryRecord(toolCallId: string, { count, hasArrived }: Entries): JournalRecord {
    return { toolCallId, key: entriesKey, value: { count, hasArrived } };
  }

  /** An outcome with a secret in it is decided, and not replayed: its prompt is asked again (INT17). */
  static redactedRecord(toolCallId: string, interactionId: string): JournalRecord {
    return { toolCallId, key: outcomeKey(interactionId), value: redacted };
  }

  static outcomeRecord(toolCallId: string, interactionId: string, verdict: Verdict): JournalRecord {
    return { toolCallId, key: outcomeKey(interactionId), value: verdict as Json };
  }
}

function outcomeKey(interactionId: string): string {
  return `outcome:${interactionId}`;
}

function isVerdict(record: unknown): record is Verdict {
  return isRecord(record) && ('value' in record || 'error' in record);
}

function needsNothing({ state, isDecided }: PastAttempt): boolean {
  return isDecided || state === 'open' || state === 'closed';
}

/** A prompt of which nothing more is known yet. */
const asked = { state: 'open', pending: undefined, response: undefined, closed: undefined } as const;

function note(
  slots: Map<string, SlotHistory>,
  records: ReadonlyMap<string, Json>,
  toolCallId: string,
  event: ChatEvent,
): void {
  switch (event.type) {
    case 'interaction_request': {
      const { payload: request } = event;
      if (request.toolCallId !== toolCallId) return;
      const recorded = records.get(outcomeKey(request.interactionId));
      const outcome = isVerdict(recorded) ? recorded : undefined;
      const isDecided = recorded !== undefined;
      const last = { ...asked, request, outcome, isDecided };
      const isFollowing = request.replaces !== undefined && slots.has(request.slot);
      slots.set(request.slot, { first: isFollowing ? (slots.get(request.slot)?.first ?? request) : request, last });
      break;
    }
    case 'interaction_expired':
      change(slots, event.payload.interactionId, () => ({ state: 'expired' }));
      break;
    case 'interaction_pending':
      change(slots, event.payload.interactionId, () => ({ state: 'closed', pending: event.payload }));
      break;
    case 'interaction_response':
      change(slots, event.payload.interactionId, ({ request, isDecided }) => ({
        state: 'answered',
        response: event.payload,
        isDecided: isDecided || request.isPlain === true,
      }));
      break;
    case 'interaction_closed':
      change(slots, event.payload.interactionId, () => ({ state: 'closed', closed: event.payload }));
      break;
    default:
  }
}

function change(
  slots: Map<string, SlotHistory>,
  interactionId: string,
  describe: (last: PastAttempt) => Partial<PastAttempt>,
): void {
  for (const [slot, { first, last }] of slots) {
    if (last.request.interactionId !== interactionId || last.pending) continue;
    slots.set(slot, { first, last: { ...last, ...describe(last) } });
  }
}
