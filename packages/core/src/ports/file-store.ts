import type { SessionId, ToolCallId } from '../basics/id.ts';
import type { FileReference } from '../form/file.ts';

/** A file that is on its way, or here. Its field belongs to every attempt at a question. */
export interface Upload {
  readonly fileId: string;
  readonly toolCallId: ToolCallId;
  readonly slot: string;
  /** The id of the field that it is for. */
  readonly field: string;
  /** Whose it is: only they go on with it, and answer with it. */
  readonly person: string;
  readonly name: string;
  /** As its sender says. */
  readonly mediaType: string;
  /** What it will have, in bytes. */
  readonly size: number;
  /** Once all of it is here, durably. */
  readonly file?: FileReference;
  /** An answer names it: it stays as long as its session. */
  readonly isAnswered?: true;
}

/**
 * Where the bytes of files are (PLG13). Several nodes share one (OPS4).
 * @throws StoreError `full` or `failed`, from each method
 */
export interface FileStore {
  create(sessionId: SessionId, upload: Upload): Promise<void>;
  find(sessionId: SessionId, fileId: string): Promise<Upload | undefined>;
  /** Every upload of a session, whole or not. */
  list(sessionId: SessionId): Promise<readonly Upload[]>;
  /** How many bytes of an upload are here. */
  offset(sessionId: SessionId, fileId: string): Promise<number>;
  /** Adds bytes at an offset. What came stays, also where `bytes` fails, whose error is thrown. @returns the offset after them */
  write(sessionId: SessionId, fileId: string, from: number, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Makes an upload a file that does not change any more: durable once this resolves.
   * @param judge - the media type, by the first bytes; what it throws is thrown
   */
  seal(sessionId: SessionId, upload: Upload, judge: (start: Uint8Array) => string): Promise<FileReference>;
  /** The bytes of a whole file; undefined where there is none. */
  read(
    sessionId: SessionId,
    file: Pick<FileReference, 'fileId' | 'sha256'>,
  ): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Replaces what is known of an upload. */
  keep(sessionId: SessionId, upload: Upload): Promise<void>;
  remove(sessionId: SessionId, fileId: string): Promise<void>;
  removeSession(sessionId: SessionId): Promise<void>;
  /** Every session that has files here. */
  sessions(): Promise<readonly SessionId[]>;
}
