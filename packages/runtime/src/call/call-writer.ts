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
import type { SessionWriter } from '../session/session-writer.ts';
import { unacknowledgedKey } from '../session/unacknowledged.ts';
import { Journal, type Resolution } from './journal.ts';
import { redactCommand, redactReturned } from './redact-command.ts';

export interface WriteOptions {
  /** Called after the commit and before anybody is notified. */
  readonly onStored?: (events: readonly ChatEvent[]) => void;
  /** Resolution of a prompt, stored together with the command's events. */
  readonly resolved?: { readonly interactionId: InteractionId; readonly resolution: Resolution };
  /** Further records, stored together with the command's events. */
  readonly records?: readonly JournalRecord[];
}

/** Writes the events and records of one call, without the secrets it was given (INT17). */
export class CallWriter {
  readonly call: OpenCall;
  readonly #session: SessionWriter;
  readonly #secrets: Secrets;
  readonly #pieces: SecretStream;
  /**
   * Records whose values the handler already uses but which may not be stored yet; they are stored with the call's next write
   * (DUR3).
   */
  readonly #owed = new Map<string, JournalRecord>();
  /** Waits that ended while the call slept and that its code has not acted on yet (DUR2). */
  readonly #unacknowledged = new Set<string>();
  #hasLeft = false;

  constructor(session: SessionWriter, call: OpenCall, secrets: Secrets) {
    this.#session = session;
    this.call = call;
    this.#secrets = secrets;
    this.#pieces = secrets.stream();
  }

  get session(): SessionWriter {
    return this.#session;
  }

  /** Stores nothing more: the call has left memory, and whatever wakes it has a writer of its own (DUR10). */
  leave(): void {
    this.#hasLeft = true;
  }

  /** Whether the call needs nothing that only this process knows: a secret, or a value that is not stored yet. */
  get isSettled(): boolean {
    return !this.#secrets.hasLearned && this.#owed.size === 0 && !this.hasUnacknowledged;
  }

  /** Remembers the secrets of an answer; from now on they are removed from everything the call writes. */
  learn(request: InteractionRequest, input: FormValues | undefined): void {
    this.#secrets.learn(request, input);
  }

  /** Returns the result with its secrets replaced. */
  redact(returned: CallResult): CallResult {
    return redactReturned(this.#secrets, returned);
  }

  /** Redacts a text that the handler streams in chunks to the tabs. */
  redactPiece(text: string): string {
    return this.#pieces.write(text);
  }

  /** Whether a value contains a secret of this call. */
  hasSecret(value: unknown): boolean {
    return this.#secrets.occursIn(value);
  }

  /**
   * Checks a key: it must not contain a secret because keys are stored in the clear (DUR5).
   * @throws ToolError `secret_refused`, `tool_error`
   */
  requireKey(name: string): void {
    requireKey(name);
    if (!this.#secrets.occursInName(name)) return;
    const words = 'A secret that a person typed cannot be part of a key: keys are stored in the clear.';
    throw new ToolError('secret_refused', words);
  }

  /** @throws ToolError `call_closed` if the call is over, or with the code of the refusal */
  async perform(command: Command, { onStored, resolved, records = [] }: WriteOptions = {}): Promise<void> {
    if (this.#hasLeft) throw callOver();
    const owed = [...this.#owed.values()];
    const resolution = resolved ? [this.#resolutionRecord(resolved.interactionId, resolved.resolution)] : [];
    const options = { records: [...owed, ...resolution, ...records], ...(onStored && { onStored }) };
    try {
      const { events } = await this.#session.perform(redactCommand(this.#secrets, command), options);
      if (events.length > 0) this.#settle(owed); // a repeat stores nothing
    } catch (error) {
      throw asToolError(error);
    }
  }

  /** Stores a private record and its audit entries. @throws ToolError `call_closed` if the call is over */
  async record(key: string, value: Json, audit?: readonly AuditEntry[]): Promise<void> {
    await this.store(this.#recordOf(key, value), audit);
  }

  /**
   * Stores a value that the handler already uses. If that fails, nothing else of this call is stored without it, so that a later
   * run finds every value that the log or a step depends on (DUR3).
   * @throws ToolError as `record`
   */
  async recordGiven(key: string, value: Json): Promise<void> {
    const record = this.#recordOf(key, value);
    this.#owed.set(key, record);
    await this.store(record);
  }

  /** Stores the resolution of a settled prompt; if it is lost, a person is asked whether the call may run again (DUR4). */
  async recordResolution(interactionId: InteractionId, resolution: Resolution): Promise<void> {
    await this.store(this.#resolutionRecord(interactionId, resolution));
  }

  /**
   * Stores a record while the call is open: a later one would never be read nor deleted (DUR3).
   * @throws ToolError `call_closed`
   */
  async store(record: JournalRecord, audit?: readonly AuditEntry[]): Promise<void> {
    this.requireOpen();
    const owed = [...this.#owed.values()].filter(({ key }) => key !== record.key);
    await this.#session.record([...owed, record], audit).catch((error: unknown) => {
      throw asToolError(error);
    });
    this.#settle([...owed, record]);
  }

  /** Notes that a wait of the call ended while it slept. */
  noteMissed(name: string): void {
    this.#unacknowledged.add(name);
  }

  /** Whether the call still has to act on a wait that ended while it slept. */
  get hasUnacknowledged(): boolean {
    return this.#unacknowledged.size > 0;
  }

  /**
   * Records that the call now acts on the end of this wait, so that a later process does not think the call only slept (DUR4).
   */
  async acknowledge(name: string): Promise<void> {
    if (!this.#unacknowledged.has(name)) return;
    await this.#session.keep([{ toolCallId: this.call.toolCallId, key: unacknowledgedKey(name), value: false }]);
    this.#unacknowledged.delete(name);
    if (this.isOpen && !this.#session.isRunHere) throw new ToolError('call_closed', 'Another node runs the call now.');
  }

  /** @throws ToolError `call_closed` */
  requireOpen(): void {
    if (!this.isOpen) throw callOver();
  }

  get isOpen(): boolean {
    return !this.#hasLeft && findCall(this.#session.head, this.call.toolCallId) !== undefined;
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

function callOver(): ToolError {
  return new ToolError('call_closed', 'The call is over.');
}

function asToolError(error: unknown): ToolError {
  if (!(error instanceof RefusalError))
    return new ToolError('tool_error', 'Parley could not store this.', { cause: error });
  if (error.code === 'closed' || error.code === 'not_found')
    return new ToolError('call_closed', 'The call is over.', { cause: error });
  return new ToolError(error.code, error.message, { cause: error });
}
