import {
  type ChatEvent,
  type FileReference,
  isRecord,
  type Json,
  type OutsideCall,
  RefusalError,
} from '@parleyhq/core';
import type { Tickets } from '../../auth/ticket.ts';
import type { FileService } from '../files/file-service.ts';
import type { CallFile, CallOutcome } from './call-outcome.ts';

export interface CallFilesOptions {
  readonly tickets: Tickets;
  readonly files: Pick<FileService, 'read'>;
  readonly baseUrl: () => string;
  readonly now: () => number;
}

/** In ms. */
const validMs = 3_600_000;

/** Hands the files that people attached to their answers to the programs that asked (REV6). */
export class CallFiles {
  readonly #options: CallFilesOptions;

  constructor(options: CallFilesOptions) {
    this.#options = options;
  }

  /**
   * Adds the files of a call's answers to what its program gets: as member `files` of the result or, if that is not an object or has such a
   * member itself, of the outcome.
   */
  addTo(outcome: CallOutcome, { sessionId, payload }: ChatEvent<'tool_result'>): CallOutcome {
    const { toolCallId, files = [] } = payload;
    const { result } = outcome;
    if (files.length === 0) return outcome;
    const until = this.#options.now() + validMs;
    const shown = files.map(({ fileId, name, mediaType, size }): CallFile => {
      const ticket = this.#options.tickets.sign('file', { sessionId, toolCallId, fileId, until });
      const url = `${this.#options.baseUrl()}/api/calls/${encodeURIComponent(toolCallId)}/files/${ticket}`;
      return { fileId, name, mediaType, bytes: size, url };
    });
    if (!isRecord(result) || Object.hasOwn(result, 'files')) return { ...outcome, files: shown };
    return { ...outcome, result: { ...result, files: shown as readonly object[] as Json[] } };
  }

  /** Finds the file of an address. @throws RefusalError `not_found` if it is not one of this call, or no longer valid */
  find({ toolCallId }: OutsideCall, end: ChatEvent<'tool_result'> | undefined, ticket: string): FileReference {
    const { tickets, now } = this.#options;
    const subject = tickets.read('file', ticket);
    const isValid = subject?.toolCallId === toolCallId && subject.until > now();
    const file = isValid ? end?.payload.files?.find(({ fileId }) => fileId === subject.fileId) : undefined;
    if (!file) throw new RefusalError('not_found', { message: expired });
    return file;
  }

  /** Reads a file of a call; undefined if its bytes are no longer stored. */
  read({ sessionId }: OutsideCall, file: FileReference): Promise<ReadableStream<Uint8Array> | undefined> {
    return this.#options.files.read(sessionId, file);
  }
}

const expired = 'This address is valid for an hour: fetch the call again for a new one.';
