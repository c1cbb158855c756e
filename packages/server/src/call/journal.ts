import {
  type Asked,
  type ChatEvent,
  type CodedError,
  type Edit,
  type Instant,
  type InteractionId,
  type InteractionRequest,
  type InteractionResponse,
  isPromptEvent,
  isRecord,
  type JournalRecord,
  type Json,
  type OpenCall,
  type PromptLife,
  recoverySlot,
  redacted,
  reducePrompt,
  type Session,
  type Store,
  type ToolCallId,
} from '@parleyhq/core';
import { nameCallback, unheardKey } from '../session/unheard.ts';
import { awaitedBy, type WaitRecord } from './callback-records.ts';
import { isOpenStep } from './step-record.ts';

/** The prompts of one slot: the digest that a re-entered handler must match is the first one's (DUR5). */
export interface SlotAttempts {
  readonly first: InteractionRequest;
  readonly last: PastAttempt;
  /** What was asked was another question, and none of it counts for what is asked now. */
  readonly isSetAside?: boolean;
}

/**
 * The newest prompt of a slot, as far as it came. A `pending` one stays that: its tool went on, and whatever becomes of the
 * prompt later is a message, and nothing to the call (INT9).
 */
export interface PastAttempt extends PromptLife {
  /** What its hook came to, if that was recorded. */
  readonly resolution: Resolution | undefined;
  /** Its answer is its resolution, or something was recorded, though a secret in it may have taken the value. */
  readonly isDecided: boolean;
  /** It was settled while its call slept, and no code of the call has run to see it. */
  readonly isUnheard: boolean;
}

/** What a prompt came to in its hooks: the value of its promise, or what that rejected with. */
export type Resolution = { readonly value: Json } | { readonly error: CodedError };

/** Whom an approval asked, and how many of them decided. */
export type Consented = Asked & Pick<InteractionRequest, 'decide'>;

/** How often in a row a careful entry of the call ended the server (DUR6). */
const deathsKey = 'deaths';

/** What a call did in an earlier process: its prompts from the log, their resolutions from its records. */
export class Journal {
  readonly #slots: ReadonlyMap<string, SlotAttempts>;
  readonly #records: ReadonlyMap<string, Json>;

  /** Callbacks that were over by then (PLG11). */
  readonly #settled: ReadonlySet<string>;

  private constructor(
    slots: ReadonlyMap<string, SlotAttempts>,
    records: ReadonlyMap<string, Json>,
    settled: ReadonlySet<string>,
  ) {
    this.#slots = slots;
    this.#records = records;
    this.#settled = settled;
  }

  static readonly empty = new Journal(new Map(), new Map(), new Set());

  /** @param row - as it is stored when an earlier process's work is taken up: what follows is the new one's */
  static async read(
    store: Pick<Store, 'events' | 'index'>,
    row: Pick<Session, 'id' | 'seq'>,
    call: OpenCall,
  ): Promise<Journal> {
    const records = new Map((await store.index.records(row.id, call.toolCallId)).map(({ key, value }) => [key, value]));
    const prompts = new Prompts(call.toolCallId);
    for await (const texts of store.events.read(row.id, call.seq, row.seq - call.seq)) {
      for (const text of texts) prompts.add(JSON.parse(text));
    }
    const settled = new Set(call.callbacks?.map(({ key }) => key));
    return new Journal(prompts.bySlot(records), records, settled);
  }

  find(slot: string): SlotAttempts | undefined {
    return this.#slots.get(slot);
  }

  /** The answers that count, by slot: the last of each. */
  get answers(): ReadonlyMap<string, InteractionResponse> {
    const slots = [...this.#slots].flatMap(([slot, { last }]) =>
      last.response ? [[slot, last.response] as const] : [],
    );
    return new Map(slots);
  }

  /** Whom each approval asked that the call runs on: of its gate, of its handler, and those that the gate's yes answered, too. */
  get consents(): readonly Consented[] {
    const given = [...this.#slots].flatMap(
      ([
        slot,
        {
          last: { request, response },
        },
      ]) =>
        slot !== recoverySlot && request.interactionType === 'approval' && response?.action === 'approve'
          ? [request]
          : [],
    );
    const handedOn = [...this.#records].flatMap(([key, value]) =>
      key.startsWith(handedOnKey('')) && isRecord(value) ? [value as Consented] : [],
    );
    return [...given, ...handedOn];
  }

  /** What was recorded under a key of `Steps`. */
  recorded(key: string): Json | undefined {
    return this.#records.get(key);
  }

  /** What a person made of the arguments at a slot, if that is asked about as a request of its own; older releases kept what was typed alone. */
  editOf(slot: string): Edit | undefined {
    const edit = this.#records.get(editKey(slot)) as readonly [Json, Json] | undefined;
    const typed = this.#records.get(`edit:${slot}`);
    if (edit) return { written: edit[0], json: edit[1] };
    return typed === undefined ? undefined : { written: typed, json: typed };
  }

  /** What a person made of the arguments at a slot and allowed, as it runs. */
  approvedEdit(slot: string): Json | undefined {
    const { request, response } = this.#slots.get(slot)?.last ?? {};
    if (response?.action !== 'approve') return undefined;
    return response.editedArgs ?? (request?.editable === false ? this.editOf(slot)?.json : undefined);
  }

  /** The same without what people consented to: the tool reads other arguments now, and asks about them (APR2). */
  withoutConsents(): Journal {
    const slots = [...this.#slots].map(([slot, attempts]) => {
      const isConsent = slot !== recoverySlot && attempts.last.request.interactionType === 'approval';
      return [slot, isConsent ? { ...attempts, isSetAside: true } : attempts] as const;
    });
    const records = [...this.#records].filter(([key]) => !consentKeys.some((prefix) => key.startsWith(prefix)));
    return new Journal(new Map(slots), new Map(records), this.#settled);
  }

  /** How often in a row a careful entry of the call ended the server (DUR6). */
  get deaths(): number {
    return Number(this.#records.get(deathsKey) ?? 0);
  }

  /**
   * Whether the call did nothing but wait: a prompt is open or a callback awaited, every claim has its recorded resolution,
   * and no step was running (DUR2, PLG11). What ended a wait in its sleep nobody acted on: that is waiting, too. An open recovery prompt is
   * no wait of the call's own.
   */
  get isWaiting(): boolean {
    const own = [...this.#slots].filter(([slot]) => slot !== recoverySlot).map(([, { last }]) => last);
    const isStepOpen = [...this.#records].some(([key, record]) => isOpenStep(key, record));
    const hasWait = own.some(({ state, isUnheard }) => state === 'open' || isUnheard) || this.#awaitsCallback;
    return hasWait && own.every(needsNothing) && !isStepOpen;
  }

  /** What ended waits of the call in the sleep of an earlier process: its code is needed. */
  get unheard(): readonly string[] {
    const prompts = [...this.#slots.values()].flatMap(({ last }) =>
      last.isUnheard ? [last.request.interactionId] : [],
    );
    return [...prompts, ...[...this.#settled].map(nameCallback).filter((name) => this.isUnheard(name))];
  }

  /** A person is being asked whether it may run again (DUR4). */
  get isAskedAbout(): boolean {
    return this.find(recoverySlot)?.last.state === 'open';
  }

  /** When the first of its waits for callbacks is over that has an end. */
  get callbackDue(): Instant | undefined {
    const ends = [...this.#records].flatMap(([key, value]) => {
      const awaited = awaitedBy(key);
      const { until } = value as unknown as WaitRecord;
      return awaited !== undefined && until !== undefined && !this.#settled.has(awaited) ? [until] : [];
    });
    return ends.length > 0 ? Math.min(...ends) : undefined;
  }

  get #awaitsCallback(): boolean {
    return [...this.#records.keys()].some((key) => {
      const awaited = awaitedBy(key);
      return awaited !== undefined && (!this.#settled.has(awaited) || this.isUnheard(nameCallback(awaited)));
    });
  }

  /** Whether a wait was ended in the sleep of the call, and none of its code has run to see it. */
  isUnheard(name: string): boolean {
    return this.#records.get(unheardKey(name)) === true;
  }

  static deathsRecord(toolCallId: string, count: number): JournalRecord {
    return { toolCallId, key: deathsKey, value: count };
  }

  /** A resolution with a secret in it is decided, and not replayed: its prompt is asked again (INT17). */
  static redactedRecord(toolCallId: string, interactionId: string): JournalRecord {
    return { toolCallId, key: resolutionKey(interactionId), value: redacted };
  }

  static resolutionRecord(toolCallId: string, interactionId: string, resolution: Resolution): JournalRecord {
    return { toolCallId, key: resolutionKey(interactionId), value: resolution as Json };
  }
}

/** The record that the gate's yes answered the approval of a slot; its value is whom that asks. Older ones hold `true`. */
export function handedOnKey(slot: string): string {
  return `gate:${slot}`;
}

/** The record that a rule covered the approval of a slot. */
export function ruleKey(slot: string): string {
  return `rule:${slot}`;
}

/** The record of an edit that is asked about: what was typed, and what the tool read. */
export function editKey(slot: string): string {
  return `edited:${slot}`;
}

const consentKeys = [handedOnKey(''), ruleKey(''), editKey(''), 'edit:'];

function resolutionKey(interactionId: string): string {
  return `outcome:${interactionId}`;
}

function isResolution(record: unknown): record is Resolution {
  return isRecord(record) && ('value' in record || 'error' in record);
}

function needsNothing({ state, isDecided, isUnheard }: PastAttempt): boolean {
  return isDecided || isUnheard || state === 'open' || state === 'pending' || state === 'closed';
}

/** The prompts of one call, folded from its part of the log. */
class Prompts {
  readonly #toolCallId: ToolCallId;
  readonly #lives = new Map<InteractionId, PromptLife>();

  constructor(toolCallId: ToolCallId) {
    this.#toolCallId = toolCallId;
  }

  add(event: ChatEvent): void {
    if (!isPromptEvent(event) || event.payload.toolCallId !== this.#toolCallId) return;
    const { interactionId } = event.payload;
    const known = this.#lives.get(interactionId);
    const life = known?.state === 'pending' ? known : reducePrompt(known, event);
    if (life) this.#lives.set(interactionId, life);
  }

  bySlot(records: ReadonlyMap<string, Json>): ReadonlyMap<string, SlotAttempts> {
    const slots = new Map<string, SlotAttempts>();
    for (const life of this.#lives.values()) {
      const { slot, replaces } = life.request;
      const before = replaces === undefined ? undefined : slots.get(slot);
      slots.set(slot, { first: before?.first ?? life.request, last: attemptOf(life, records) });
    }
    return slots;
  }
}

function attemptOf(life: PromptLife, records: ReadonlyMap<string, Json>): PastAttempt {
  const { request, state } = life;
  const recorded = records.get(resolutionKey(request.interactionId));
  const isItsOutcome = state === 'answered' && request.isPlain === true;
  return {
    ...life,
    resolution: isResolution(recorded) ? recorded : undefined,
    isDecided: recorded !== undefined || isItsOutcome,
    isUnheard: records.get(unheardKey(request.interactionId)) === true,
  };
}
