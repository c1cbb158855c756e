import {
  type ChatEvent,
  type CodedError,
  type Edit,
  type FileReference,
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
import { nameCallback, unacknowledgedKey } from '../session/unacknowledged.ts';
import { awaitedBy, type WaitRecord } from './callback-records.ts';
import type { Demanded } from './demands.ts';
import { isOpenStep } from './step-record.ts';

/** The prompts of one slot. A re-entered handler must match the digest of the first one (DUR5). */
export interface SlotAttempts {
  readonly first: InteractionRequest;
  readonly last: PastAttempt;
  /** Whether the earlier prompts asked another question, so that their answers do not count. */
  readonly isSetAside?: boolean;
}

/**
 * State of the newest prompt of a slot. A `pending` one keeps that state: its tool went on, and a later answer becomes a message
 * and does not affect the call (INT9).
 */
export interface PastAttempt extends PromptLife {
  /** Recorded result of the prompt's hooks, if any. */
  readonly resolution: Resolution | undefined;
  /** Whether the prompt is decided: its answer is its resolution, or one was recorded, perhaps without its secret value. */
  readonly isDecided: boolean;
  /** Whether it was settled while the call slept and the call's code has not acted on it yet. */
  readonly isUnheard: boolean;
  /** People's comments on it that its hook has not handled (REV4). */
  readonly unhandled: readonly ChatEvent<'interaction_comment'>[];
}

/** Result of a prompt's hooks: the value with which its promise resolved, or the error. */
export type Resolution = { readonly value: Json } | { readonly error: CodedError };

/** Returns the key of the position of a prompt's last comment that was handled (REV4). */
const handledKey = (id: InteractionId) => `handled:${id}`;

/** Number of careful entries in a row that ended the server (DUR6). */
const deathsKey = 'deaths';

/** What a call did in earlier processes: its prompts from the log, their resolutions from its records. */
export class Journal {
  readonly #slots: ReadonlyMap<string, SlotAttempts>;
  readonly #records: ReadonlyMap<string, Json>;

  /** Callbacks that were settled already (PLG11). */
  readonly #settled: ReadonlySet<string>;

  /** Risks of all its prompts but those that asked whether it may run again. */
  readonly #risks: readonly InteractionRequest['risk'][];

  /** Files that people attached to any answer, in the order of the answers (REV6). */
  readonly files: readonly FileReference[];

  private constructor(
    slots: ReadonlyMap<string, SlotAttempts>,
    records: ReadonlyMap<string, Json>,
    settled: ReadonlySet<string>,
    {
      risks,
      files,
    }: { readonly risks: readonly InteractionRequest['risk'][]; readonly files: readonly FileReference[] },
  ) {
    this.#slots = slots;
    this.#records = records;
    this.#settled = settled;
    this.#risks = risks;
    this.files = files;
  }

  static readonly empty = new Journal(new Map(), new Map(), new Set(), { risks: [], files: [] });

  /** @param row - the session as stored when the work of an earlier process is taken over; later events are this process's own */
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
    return new Journal(prompts.bySlot(records), records, settled, prompts);
  }

  find(slot: string): SlotAttempts | undefined {
    return this.#slots.get(slot);
  }

  /** Answers that count, by slot: the last of each. */
  get answers(): ReadonlyMap<string, InteractionResponse> {
    const slots = [...this.#slots].flatMap(([slot, { last }]) =>
      last.response ? [[slot, last.response] as const] : [],
    );
    return new Map(slots);
  }

  /**
   * What the call has demanded of people: whom it asked in each prompt that they allowed or answered, and in each approval that the
   * gate's consent or a grant answered; and the risk of every prompt, whatever became of it.
   */
  get demands(): readonly Demanded[] {
    const given = [...this.#slots].flatMap(
      ([
        slot,
        {
          last: { request, response },
        },
      ]) =>
        slot !== recoverySlot && (response?.action === 'approve' || response?.action === 'submit') ? [request] : [],
    );
    const unasked = [...this.#records].flatMap(([key, value]) =>
      demandKeys.some((prefix) => key.startsWith(prefix)) && isRecord(value) ? [value as Demanded] : [],
    );
    return [...this.#risks.map((risk) => ({ risk })), ...given, ...unasked];
  }

  /** Returns the value recorded under a key. */
  recorded(key: string): Json | undefined {
    return this.#records.get(key);
  }

  /**
   * Returns the edit of the arguments at a slot, if it was confirmed by a prompt of its own; older releases stored only what was
   * typed.
   */
  editOf(slot: string): Edit | undefined {
    const edit = this.#records.get(editKey(slot)) as readonly [Json, Json] | undefined;
    const typed = this.#records.get(`edit:${slot}`);
    if (edit) return { written: edit[0], json: edit[1] };
    return typed === undefined ? undefined : { written: typed, json: typed };
  }

  /** Returns the edited arguments that a person approved at a slot, as they run. */
  approvedEdit(slot: string): Json | undefined {
    const { request, response } = this.#slots.get(slot)?.last ?? {};
    if (response?.action !== 'approve') return undefined;
    return response.editedArgs ?? (request?.editable === false ? this.editOf(slot)?.json : undefined);
  }

  /** Returns a journal without the consents: the tool now reads other arguments and must ask about them (APR2). */
  withoutConsents(): Journal {
    const slots = [...this.#slots].map(([slot, attempts]) => {
      const isConsent = slot !== recoverySlot && attempts.last.request.interactionType === 'approval';
      return [slot, isConsent ? { ...attempts, isSetAside: true } : attempts] as const;
    });
    const records = [...this.#records].filter(([key]) => !consentKeys.some((prefix) => key.startsWith(prefix)));
    return new Journal(new Map(slots), new Map(records), this.#settled, { risks: this.#risks, files: this.files });
  }

  /** Number of careful entries in a row that ended the server (DUR6). */
  get deaths(): number {
    return Number(this.#records.get(deathsKey) ?? 0);
  }

  /**
   * Whether the call only waited: a prompt is open or a callback awaited, every answered prompt has its resolution, and no step
   * was running (DUR2, PLG11). A wait that ended while the call slept counts as waiting, too; an open recovery prompt does not,
   * because the call did not ask it.
   */
  get isWaiting(): boolean {
    const own = [...this.#slots].filter(([slot]) => slot !== recoverySlot).map(([, { last }]) => last);
    const isStepOpen = [...this.#records].some(([key, record]) => isOpenStep(key, record));
    const hasWait = own.some(({ state, isUnheard }) => state === 'open' || isUnheard) || this.#awaitsCallback;
    return hasWait && own.every(needsNothing) && !isStepOpen;
  }

  /** Names of the waits that ended while the call slept: its code must act on them. */
  get unheard(): readonly string[] {
    const prompts = [...this.#slots.values()].flatMap(({ last }) =>
      last.isUnheard ? [last.request.interactionId] : [],
    );
    return [...prompts, ...[...this.#settled].map(nameCallback).filter((name) => this.isUnheard(name))];
  }

  /** Whether a person is being asked if the call may run again (DUR4). */
  get isAskedAbout(): boolean {
    return this.find(recoverySlot)?.last.state === 'open';
  }

  /** Whether the call's code must handle a comment on an open prompt (REV4). */
  get owesReply(): boolean {
    return [...this.#slots.values()].some(
      ({ last: { state, request, unhandled } }) => state === 'open' && isForCode(request) && unhandled.length > 0,
    );
  }

  /** Earliest deadline of its waits for callbacks, if any has one. */
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

  /** Whether a wait ended while the call slept and its code has not acted on it. */
  isUnheard(name: string): boolean {
    return this.#records.get(unacknowledgedKey(name)) === true;
  }

  /** Returns the record that the comments on a prompt up to this one were handled. */
  static handledRecord({ seq, payload }: ChatEvent<'interaction_comment'>): JournalRecord {
    return { toolCallId: payload.toolCallId, key: handledKey(payload.interactionId), value: seq };
  }

  static deathsRecord(toolCallId: string, count: number): JournalRecord {
    return { toolCallId, key: deathsKey, value: count };
  }

  /**
   * Returns the record of a resolution that contained a secret: it counts as decided but cannot be replayed, so its prompt is
   * asked again (INT17).
   */
  static redactedRecord(toolCallId: string, interactionId: string): JournalRecord {
    return { toolCallId, key: resolutionKey(interactionId), value: redacted };
  }

  static resolutionRecord(toolCallId: string, interactionId: string, resolution: Resolution): JournalRecord {
    return { toolCallId, key: resolutionKey(interactionId), value: resolution as Json };
  }
}

/**
 * Returns the key of the record that the gate's consent answered the approval of a slot. Its value is the people asked; older
 * records hold `true`.
 */
export function handedOnKey(slot: string): string {
  return `gate:${slot}`;
}

/** Returns the key of the record of what an approval demanded that a grant answered. @param hash - of the demand */
export function demandKey(hash: string): string {
  return `demand:${hash}`;
}

const demandKeys = [handedOnKey(''), demandKey('')];

/** Returns the key of the record that a rule covered the approval of a slot. */
export function ruleKey(slot: string): string {
  return `rule:${slot}`;
}

/** Returns the key of the record of a review of the approval of a slot. */
export function reviewKey(slot: string): string {
  return `review:${slot}`;
}

/** Returns the key of the record of an edit to be confirmed: what was typed, and what the tool read. */
export function editKey(slot: string): string {
  return `edited:${slot}`;
}

const consentKeys = [handedOnKey(''), ruleKey(''), reviewKey(''), editKey(''), 'edit:'];

function resolutionKey(interactionId: string): string {
  return `outcome:${interactionId}`;
}

/** Whether comments on a prompt are for the code of the process that runs its call. */
export function isForCode({ commentsTo }: InteractionRequest): boolean {
  return commentsTo === 'tool' || commentsTo === 'agent';
}

/** Files of an answer that go with the result of its call; a late one is a message of its own (INT9). */
export function attachedTo({ files = [], late }: InteractionResponse): readonly FileReference[] {
  return late ? [] : files;
}

function isResolution(record: unknown): record is Resolution {
  return isRecord(record) && ('value' in record || 'error' in record);
}

function needsNothing({ state, isDecided, isUnheard }: PastAttempt): boolean {
  return isDecided || isUnheard || state === 'open' || state === 'pending' || state === 'closed';
}

/** The prompts of one call, folded from its section of the log. */
class Prompts {
  readonly #toolCallId: ToolCallId;
  readonly #lives = new Map<InteractionId, PromptLife>();
  readonly #comments: ChatEvent<'interaction_comment'>[] = [];
  readonly files: FileReference[] = [];

  constructor(toolCallId: ToolCallId) {
    this.#toolCallId = toolCallId;
  }

  add(event: ChatEvent): void {
    if (!isPromptEvent(event) || event.payload.toolCallId !== this.#toolCallId) return;
    const { interactionId } = event.payload;
    if (event.type === 'interaction_comment' && !event.payload.isAskers) this.#comments.push(event);
    if (event.type === 'interaction_response') this.files.push(...attachedTo(event.payload));
    const known = this.#lives.get(interactionId);
    const life = known?.state === 'pending' ? known : reducePrompt(known, event);
    if (life) this.#lives.set(interactionId, life);
  }

  get risks(): readonly InteractionRequest['risk'][] {
    return [...this.#lives.values()].flatMap(({ request: { slot, risk } }) => (slot === recoverySlot ? [] : [risk]));
  }

  bySlot(records: ReadonlyMap<string, Json>): ReadonlyMap<string, SlotAttempts> {
    const slots = new Map<string, SlotAttempts>();
    for (const life of this.#lives.values()) {
      const { slot, replaces } = life.request;
      const before = replaces === undefined ? undefined : slots.get(slot);
      const { interactionId } = life.request;
      const handled = Number(records.get(handledKey(interactionId)) ?? 0);
      const unhandled = this.#comments.filter(
        ({ seq, payload }) => payload.interactionId === interactionId && seq > handled,
      );
      slots.set(slot, { first: before?.first ?? life.request, last: { ...attemptOf(life, records), unhandled } });
    }
    return slots;
  }
}

function attemptOf(life: PromptLife, records: ReadonlyMap<string, Json>): Omit<PastAttempt, 'unhandled'> {
  const { request, state } = life;
  const recorded = records.get(resolutionKey(request.interactionId));
  const isItsOutcome = state === 'answered' && request.isPlain === true;
  return {
    ...life,
    resolution: isResolution(recorded) ? recorded : undefined,
    isDecided: recorded !== undefined || isItsOutcome,
    isUnheard: records.get(unacknowledgedKey(request.interactionId)) === true,
  };
}
