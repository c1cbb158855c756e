import type { MessageId, SessionId, ToolCallId } from '../basics/id.ts';
import type { FileReference } from '../form/file.ts';

/** What the file of an answer is for; the same in every attempt at the question. */
export interface AskedFile {
  readonly toolCallId: ToolCallId;
  readonly slot: string;
  /** Id of the form field. */
  readonly field: string;
}

/** A file that is being uploaded, or was: for the answer that it names, or otherwise for a message. */
export interface Upload extends Partial<AskedFile> {
  readonly fileId: string;
  /** When it began, in ms; absent in uploads of earlier releases, which are all for answers. */
  readonly begunAt?: number;
  /** Person who uploads it; only they may continue it and use it. */
  readonly person: string;
  readonly name: string;
  /** Media type that the sender declared. */
  readonly mediaType: string;
  /** Declared size in bytes. */
  readonly size: number;
  /** Reference to the file, once all of it is stored durably. */
  readonly file?: FileReference;
  /** The last message that was to name it: whether that was stored is in the log. */
  readonly messageId?: MessageId;
  /** Set once an answer or a message names it: it is then kept as long as its session. */
  readonly isAnswered?: true;
}

/**
 * Stores the bytes of files (PLG13).
 * @throws StoreError `full` or `failed`, from each method
 */
export interface FileStore {
  create(sessionId: SessionId, upload: Upload): Promise<void>;
  find(sessionId: SessionId, fileId: string): Promise<Upload | undefined>;
  /** Returns all uploads of a session, complete or not. */
  list(sessionId: SessionId): Promise<readonly Upload[]>;
  /** Returns how many bytes of an upload are stored. */
  offset(sessionId: SessionId, fileId: string): Promise<number>;
  /**
   * Writes bytes at an offset. Bytes received before `bytes` fails are kept, and its error is thrown. @returns the offset after
   * them
   */
  write(sessionId: SessionId, fileId: string, from: number, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Completes an upload: the file is immutable, and durable once this resolves.
   * @param judge - returns the media type from the first bytes; what it throws is thrown
   */
  seal(sessionId: SessionId, upload: Upload, judge: (start: Uint8Array) => string): Promise<FileReference>;
  /** Returns the bytes of a complete file; undefined if there is none. */
  read(
    sessionId: SessionId,
    file: Pick<FileReference, 'fileId' | 'sha256'>,
  ): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Replaces the metadata of an upload. */
  keep(sessionId: SessionId, upload: Upload): Promise<void>;
  remove(sessionId: SessionId, fileId: string): Promise<void>;
  removeSession(sessionId: SessionId): Promise<void>;
  /** Returns all sessions that have files here. */
  sessions(): Promise<readonly SessionId[]>;
}
