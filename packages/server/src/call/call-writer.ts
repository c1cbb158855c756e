import {
  type AuditEntry,
  type CallResult,
  type ChatEvent,
  type Command,
  type FormValues,
  findCall,
  type InteractionId,
  type InteractionRequest,
  type JournalRecord,
  type Json,
  type OpenCall,
  RefusalError,
  redacted,
  requireKey,
  ToolError,
} from '@parleyhq/core';
import type { SecretStream, Secrets } from '../log/secrets.ts';
import type { LiveSession } from '../session/live-session.ts';
import { unheardKey } from '../session/unheard.ts';
import { Journal, type Resolution } from './journal.ts';
import { redactCommand, redactReturned } from './redact-command.ts';

export interface WriteOptions {
  /** Runs after the commit and before anybody hears of it. */
  readonly onStored?: (events: readonly ChatEvent[]) => void;
  /** What the prompt came to, stored with the command's events. */
  readonly resolved?: { readonly interactionId: InteractionId; readonly resolution: Resolution };
}

/** Writes what one call says and does: events and records, without the secrets it was given (INT17). */
export class CallWriter {
  readonly call: OpenCall;
  readonly #session: LiveSession;
  readonly #secrets: Secrets;
  readonly #pieces: SecretStream;
  /** What the handler knows already and the store perhaps not: whatever the call stores next is stored with it (DUR3). */
  readonly #owed = new Map<string, JournalRecord>();
  /** What ended waits of the call in its sleep, and its code has not acted on (DUR2). */
  readonly #unheard = new Set<string>();

  constructor(session: LiveSession, call: OpenCall, secrets: Secrets) {
    this.#session = session;
    this.call = call;
    this.#secrets = secrets;
    this.#pieces = secrets.stream();
  }

  get session(): LiveSession {
    return this.#session;
  }

  /** The secrets of an answer: what is written from now on carries none of them. */
  learn(request: InteractionRequest, input: FormValues | undefined): void {
    this.#secrets.learn(request, input);
  }

  /** The same result, with a mark in each secret's place. */
  redact(returned: CallResult): CallResult {
    return redactReturned(this.#secrets, returned);
  }

  /** What the tabs may see of a text that the handler writes piece by piece. */
  redactPiece(text: string): string {
    return this.#pieces.write(text);
  }

  /** Whether a value carries a secret of this call. */
  hasSecret(value: unknown): boolean {
    return this.#secrets.occursIn(value);
  }

  /** A key is stored in the clear: by it a handler finds again what it did (DUR5). @throws ToolError `secret_refused`, `tool_error` */
  requireKey(name: string): void {
    requireKey(name);
    if (!this.#secrets.occursInName(name)) return;
    const words = 'A secret that a person typed cannot be part of a key: keys are stored in the clear.';
    throw new ToolError('secret_refused', words);
  }

  /** @throws ToolError `call_closed` where the call is over, or the code of what the store refused */
  async perform(command: Command, { onStored, resolved }: WriteOptions = {}): Promise<void> {
    const owed = [...this.#owed.values()];
    const resolution = resolved ? [this.#resolutionRecord(resolved.interactionId, resolved.resolution)] : [];
    const options = { records: [...owed, ...resolution], ...(onStored && { onStored }) };
    try {
      const { events } = await this.#session.perform(redactCommand(this.#secrets, command), options);
      if (events.length > 0) this.#settle(owed); // a repeat stores nothing
    } catch (error) {
      throw asToolError(error);
    }
  }

  /** A private journal entry, and what the audit says of it. @throws ToolError `call_closed` where the call is over */
  async record(key: string, value: Json, audit?: readonly AuditEntry[]): Promise<void> {
    await this.store(this.#recordOf(key, value), audit);
  }

  /**
   * A value that the handler goes on with before it is stored. Should that fail, nothing that follows in this call is stored
   * without it: a later run finds the value of whatever the log, or a step, rests on (DUR3). @throws ToolError as `record`
   */
  async recordGiven(key: string, value: Json): Promise<void> {
    const record = this.#recordOf(key, value);
    this.#owed.set(key, record);
    await this.store(record);
  }

  /** Stores what a settled prompt came to; a record that is lost is asked about (DUR4). */
  async recordResolution(interactionId: InteractionId, resolution: Resolution): Promise<void> {
    await this.store(this.#resolutionRecord(interactionId, resolution));
  }

  /** A call's records end with it: a later one would never be read, and never go (DUR3). @throws ToolError `call_closed` */
  async store(record: JournalRecord, audit?: readonly AuditEntry[]): Promise<void> {
    this.requireOpen();
    const owed = [...this.#owed.values()].filter(({ key }) => key !== record.key);
    await this.#session.record([...owed, record], audit).catch((error: unknown) => {
      throw asToolError(error);
    });
    this.#settle([...owed, record]);
  }

  /** Something ended a wait of the call in its sleep. */
  sleptThrough(name: string): void {
    this.#unheard.add(name);
  }

  /** Whether the call has still to come to something that ended a wait in its sleep. */
  get hasUnheard(): boolean {
    return this.#unheard.size > 0;
  }

  /** The call acts on what ended this wait from now on: a later process must not take it for one that slept (DUR4). */
  async hear(name: string): Promise<void> {
    if (!this.#unheard.has(name)) return;
    await this.#session.keep([{ toolCallId: this.call.toolCallId, key: unheardKey(name), value: false }]);
    this.#unheard.delete(name);
    if (this.isOpen && !this.#session.isRunHere) throw new ToolError('call_closed', 'Another node runs the call now.');
  }

  /** @throws ToolError `call_closed` */
  requireOpen(): void {
    if (!this.isOpen) throw new ToolError('call_closed', 'The call is over.');
  }

  get isOpen(): boolean {
    return findCall(this.#session.head, this.call.toolCallId) !== undefined;
  }

  #settle(stored: readonly JournalRecord[]): void {
    for (const { key } of stored) this.#owed.delete(key);
  }

  #recordOf(key: string, value: Json): JournalRecord {
    const { toolCallId } = this.call;
    return { toolCallId, key, value: this.#secrets.occursIn(value) ? redacted : value };
  }

  #resolutionRecord(interactionId: InteractionId, resolution: Resolution): JournalRecord {
    return this.#secrets.occursIn(resolution)
      ? Journal.redactedRecord(this.call.toolCallId, interactionId)
      : Journal.resolutionRecord(this.call.toolCallId, interactionId, resolution);
  }
}

function asToolError(error: unknown): ToolError {
  if (!(error instanceof RefusalError))
    return new ToolError('tool_error', 'Parley could not store this.', { cause: error });
  if (error.code === 'closed' || error.code === 'not_found')
    return new ToolError('call_closed', 'The call is over.', { cause: error });
  return new ToolError(error.code, error.message, { cause: error });
}
