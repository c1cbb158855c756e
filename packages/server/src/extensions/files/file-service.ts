import {
  asksForFiles,
  attachmentField,
  cleanFileName,
  type Field,
  type FileReference,
  type FileStore,
  type FormValues,
  findAttachmentFault,
  type InteractionRequest,
  isRecord,
  type Json,
  judgeMediaType,
  type Limit,
  limits,
  listAttachments,
  listFiles,
  type MessageId,
  maxFieldFiles,
  type NamedFile,
  ownerOf,
  type Principal,
  RefusalError,
  type SessionId,
  type Upload,
} from '@parleyhq/core';
import { newId, OneByOne, type SessionWriter } from '@parleyhq/runtime';
import type { QuotaService } from '../../auth/quota-service.ts';
import { isForgotten, isSent, keptMs } from './message-files.ts';
import { findOpenField, findPlaceOfAnswer, findPlaceOfMessage, misfit, requireFit } from './upload-place.ts';
import { Writers } from './writers.ts';

export interface FileServiceOptions {
  readonly store: FileStore | undefined;
  readonly quotas: Pick<QuotaService, 'spend'>;
  readonly reached: (limit: Limit) => void;
  /** Called when an upload for an answer has begun in a session. */
  readonly begun: (sessionId: SessionId) => void;
}

/** A file that a client wants to upload. */
export interface UploadDemand {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  /** The prompt that it answers, and a field's id or that of `attachmentField`; undefined for a message. */
  readonly answer: { readonly interactionId: string; readonly field: string } | undefined;
}

/** Progress of an upload; `file` once it is complete. */
export interface UploadState {
  readonly fileId: string;
  readonly offset: number;
  readonly size: number;
  readonly file?: FileReference;
}

/** The members of an answer that may name files. */
export interface WithFiles {
  readonly input?: FormValues | undefined;
  readonly files?: readonly NamedFile[] | undefined;
}

/** Incoming bytes; `stop` ends the request that brings them. */
export interface UploadSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  stop(): void;
}

/** Files of answers and messages: accepts uploads, checks the files that are named and reads them for handlers (PLG13, REV6). */
export class FileService {
  readonly #options: FileServiceOptions;
  readonly #writers = new Writers();
  readonly #oneByOne = new OneByOne();

  constructor(options: FileServiceOptions) {
    this.#options = options;
  }

  /** Whether this server keeps files. */
  get isThere(): boolean {
    return this.#options.store !== undefined;
  }

  /** Begins an upload. @throws RefusalError if this person may not give this file to the prompt or session, or a limit is reached */
  async begin(session: SessionWriter, principal: Principal, demand: UploadDemand): Promise<UploadState> {
    const store = this.#require();
    const { size, answer } = demand;
    const { field, asked } = answer ? await findPlaceOfAnswer(session, principal, answer) : findPlaceOfMessage(session);
    if (size > limits.fileBytes) this.#options.reached('fileBytes');
    const mediaType = demand.mediaType.toLowerCase().split(';')[0]?.trim() ?? '';
    const upload: Upload = {
      ...{ fileId: newId(), begunAt: Date.now(), ...asked, person: ownerOf(principal) },
      ...{ name: cleanFileName(demand.name), mediaType, size },
    };
    requireFit(field, upload);
    await this.#oneByOne.run(session.id, async () => {
      this.#requireRoom(field, upload, await store.list(session.id));
      this.#options.quotas.spend(principal, ['uploadedBytesPerHour', size]);
      await store.create(session.id, upload);
      if (asked) this.#options.begun(session.id);
    });
    return { fileId: upload.fileId, offset: 0, size };
  }

  /** @throws RefusalError `not_found` for an upload that belongs to another question */
  async requireFor(
    { id }: Pick<SessionWriter, 'id'>,
    { toolCallId, slot }: InteractionRequest,
    fileId: string,
  ): Promise<void> {
    const upload = await this.#require().find(id, fileId);
    if (upload?.toolCallId !== toolCallId || upload.slot !== slot) throw new RefusalError('not_found');
  }

  /**
   * Returns the progress of an upload. A request still sending it is stopped because its connection may be lost.
   * @throws RefusalError `not_found`
   */
  look(session: SessionWriter, principal: Principal, fileId: string): Promise<UploadState> {
    return this.#atUpload(session, principal, fileId, (upload) => this.#describe(session.id, upload));
  }

  /**
   * Appends bytes to an upload; the last ones make it a durable file.
   * @throws RefusalError `stale` with the right offset; `invalid` for more bytes than announced or a file that is not acceptable
   */
  append(
    session: SessionWriter,
    principal: Principal,
    fileId: string,
    { from, source }: { readonly from: number; readonly source: UploadSource },
  ): Promise<UploadState> {
    const store = this.#require();
    const take = async (upload: Upload): Promise<UploadState> => {
      const field = findOpenField(session.head, upload);
      if (!field) throw new RefusalError('closed');
      const state = await this.#describe(session.id, upload);
      if (from !== state.offset)
        throw new RefusalError('stale', { message: `The upload goes on at byte ${state.offset}.`, details: state });
      if (state.file) return state;
      const offset = await store.write(session.id, fileId, from, bound(source.bytes, upload.size - from));
      return offset < upload.size ? { ...state, offset } : this.#seal(session.id, upload, field);
    };
    return this.#atUpload(session, principal, fileId, take, source.stop);
  }

  /** Discards an upload. A complete file stays if an answer or a message may be naming it right now. */
  discard(session: SessionWriter, principal: Principal, fileId: string): Promise<void> {
    return this.#atUpload(session, principal, fileId, async ({ file, toolCallId, messageId }) => {
      const isUnnamed = toolCallId === undefined && messageId === undefined;
      if (!file || isUnnamed) await this.#require().remove(session.id, fileId);
    });
  }

  /** Completes an answer with its files. Only files uploaded for it by this person or offered by the prompt count. */
  async complete(
    session: Pick<SessionWriter, 'id'>,
    principal: Principal,
    request: InteractionRequest | undefined,
    { input, files }: WithFiles,
  ): Promise<WithFiles> {
    // what the client says of a file beyond its id counts for nothing, also where no files are kept
    if (!this.#options.store || !request) return { input, files: files?.map(({ fileId }) => ({ fileId })) };
    const person = ownerOf(principal);
    const find = ({ fileId }: NamedFile) => this.#findAnswered(session.id, person, request, attachmentField, fileId);
    return {
      input: input && (await this.#completeInput(session, principal, request, input)),
      files: files && (await Promise.all(files.map(find))),
    };
  }

  async #completeInput(
    { id }: Pick<SessionWriter, 'id'>,
    principal: Principal,
    request: InteractionRequest,
    input: FormValues,
  ): Promise<FormValues> {
    if (!asksForFiles(request.inputSchema)) return input;
    const fields = request.inputSchema?.fields.filter(({ type }) => type === 'file') ?? [];
    const completed: Record<string, Json> = {};
    for (const field of fields) {
      const value = Object.hasOwn(input, field.id) ? input[field.id] : undefined;
      if (value === undefined) continue;
      const find = (member: Json): Promise<Json> =>
        this.#findAnswered(id, ownerOf(principal), request, field, idOf(member));
      if (!Array.isArray(value)) completed[field.id] = await find(value);
      else if (value.length <= maxFieldFiles) completed[field.id] = await Promise.all(value.map(find));
    }
    return { ...input, ...completed };
  }

  /**
   * Looks up the files of a message that is about to be stored. Only files that this person uploaded for messages count.
   * @throws RefusalError `invalid`
   */
  async attach(
    session: Pick<SessionWriter, 'id' | 'reader'>,
    principal: Principal,
    { messageId, files }: { readonly messageId: MessageId; readonly files: readonly NamedFile[] },
  ): Promise<readonly FileReference[]> {
    if (files.length === 0) return [];
    const store = this.#require();
    const findOwn = async (fileId: string): Promise<Upload | undefined> => {
      const upload = await store.find(session.id, fileId);
      const isOwn = upload?.toolCallId === undefined && upload?.person === ownerOf(principal);
      return isOwn && (upload.isAnswered || !isForgotten(upload, keptMs)) ? upload : undefined;
    };
    const take = async (fileId: string): Promise<NamedFile> => {
      const upload = await findOwn(fileId); // again, because it may have been discarded meanwhile
      if (!upload?.file) return { fileId };
      const isAnswered = upload.isAnswered || (await isSent(session, upload));
      await store.keep(session.id, { ...upload, messageId, ...(isAnswered && { isAnswered }) });
      return upload.file;
    };
    const named: NamedFile[] = [];
    for (const { fileId } of files)
      named.push((await findOwn(fileId)) ? await this.#writers.run(fileId, () => take(fileId)) : { fileId });
    const fault = findAttachmentFault(named);
    if (fault !== undefined) throw misfit(attachmentField, fault);
    return listAttachments(named);
  }

  /** Returns the content of a file of this session; undefined if this server does not have it. */
  async read(sessionId: SessionId, { fileId }: Pick<FileReference, 'fileId'>) {
    const { store } = this.#options;
    const file = (await store?.find(sessionId, fileId))?.file;
    return file && store?.read(sessionId, file);
  }

  async #findAnswered(
    sessionId: SessionId,
    person: string,
    { toolCallId, slot, initialValues = {} }: InteractionRequest,
    field: Field,
    fileId: string,
  ): Promise<NamedFile> {
    const offered = listFiles(initialValues[field.id]).find((file) => file.fileId === fileId);
    if (offered) return offered;
    const upload = await this.#require().find(sessionId, fileId);
    const isFor = upload?.toolCallId === toolCallId && upload.slot === slot && upload.field === field.id;
    return isFor && upload.person === person && upload.file ? upload.file : { fileId };
  }

  async #seal(sessionId: SessionId, upload: Upload, field: Field): Promise<UploadState> {
    const store = this.#require();
    try {
      const file = await store.seal(sessionId, upload, (start) => {
        const mediaType = judgeMediaType(upload.mediaType, start);
        requireFit(field, { ...upload, mediaType });
        return mediaType;
      });
      return { fileId: file.fileId, offset: file.size, size: file.size, file };
    } catch (error) {
      if (error instanceof RefusalError) await store.remove(sessionId, upload.fileId);
      throw error;
    }
  }

  async #describe(sessionId: SessionId, { fileId, size, file }: Upload): Promise<UploadState> {
    const offset = file ? size : await this.#require().offset(sessionId, fileId);
    return { fileId, offset, size, ...(file && { file }) };
  }

  #requireRoom(field: Field, { size, person, toolCallId }: Upload, known: readonly Upload[]): void {
    const isLike = (other: Upload) => other.person === person && other.toolCallId === toolCallId;
    const own = known.filter((other) => isLike(other) && (toolCallId !== undefined || other.messageId === undefined));
    const bytes = known.reduce((sum, other) => sum + other.size, size);
    if (own.length >= limits.callUploads) throw this.#refuse('callUploads', field, tooMany);
    if (bytes > limits.sessionFileBytes) throw this.#refuse('sessionFileBytes', field, noRoom);
  }

  #refuse(limit: Limit, field: Field, words: string): RefusalError {
    this.#options.reached(limit);
    return misfit(field, words);
  }

  /** Runs work on the person's own upload, exclusively and with its current state. @throws RefusalError `not_found` */
  async #atUpload<T>(
    session: SessionWriter,
    principal: Principal,
    fileId: string,
    work: (upload: Upload) => Promise<T>,
    stop?: () => void,
  ): Promise<T> {
    const find = () => this.#requireOwn(session, principal, fileId);
    await find(); // checked before, so that nobody else can stop the current writer
    return this.#writers.run(
      fileId,
      async () => {
        try {
          return await work(await find());
        } catch (error) {
          session.requireLife(); // its files went with it
          throw error;
        }
      },
      stop,
    );
  }

  /** Returns the person's own upload; one of another person is reported as not found (SEC4). */
  async #requireOwn(session: SessionWriter, principal: Principal, fileId: string): Promise<Upload> {
    const upload = await this.#require().find(session.id, fileId);
    const isOwn = upload?.person === ownerOf(principal) && !session.visibility.hides(principal, upload.toolCallId);
    if (!upload || !isOwn) throw new RefusalError('not_found');
    return upload;
  }

  #require(): FileStore {
    if (this.#options.store) return this.#options.store;
    throw new RefusalError('not_found', { message: 'This server keeps no files.' });
  }
}

const tooMany = 'Too many files at once.';
const noRoom = 'This session has no room for more files.';

function idOf(member: Json): string {
  return isRecord(member) && typeof member.fileId === 'string' ? member.fileId : '';
}

/** @throws RefusalError `invalid` if more bytes arrive than announced */
async function* bound(bytes: AsyncIterable<Uint8Array>, most: number): AsyncIterable<Uint8Array> {
  let left = most;
  for await (const chunk of bytes) {
    left -= chunk.length;
    if (left < 0) throw new RefusalError('invalid', { message: 'More bytes came than Upload-Length says.' });
    yield chunk;
  }
}
