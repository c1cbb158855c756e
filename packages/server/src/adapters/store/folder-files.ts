import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type FileReference, type FileStore, type SessionId, StoreError, type Upload } from '@parleyhq/core';

/** Ids are used as file names. */
const idPattern = /^[A-Za-z0-9_-]{1,100}$/;
const hashPattern = /^[0-9a-f]{64}$/;

/** Number of first bytes that identify a picture. */
const startLength = 12;

/**
 * Keeps files in a folder with one subfolder for each session, which holds a record of each upload, the bytes received so far,
 * and complete files by their hash. Several nodes may share it over a network file system.
 */
export function openFolderFiles(folder: string): FileStore {
  return new FolderFiles(folder);
}

class FolderFiles implements FileStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async create(sessionId: SessionId, upload: Upload): Promise<void> {
    await stored(async () => {
      await mkdir(this.#folderOf(sessionId), { recursive: true, mode: 0o700 });
      await (await open(this.#part(sessionId, upload.fileId), 'wx', 0o600)).close();
      await this.#record(sessionId, upload);
    });
  }

  async find(sessionId: SessionId, fileId: string): Promise<Upload | undefined> {
    if (!idPattern.test(fileId)) return undefined;
    const text = await stored(() => orNone(readFile(this.#recordPath(sessionId, fileId), 'utf8')));
    return text === undefined ? undefined : JSON.parse(text);
  }

  async list(sessionId: SessionId): Promise<readonly Upload[]> {
    const names = await stored(() => orNone(readdir(this.#folderOf(sessionId))));
    const ids = (names ?? []).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
    const found = await Promise.all(ids.map((fileId) => this.find(sessionId, fileId)));
    return found.filter((upload) => upload !== undefined);
  }

  async offset(sessionId: SessionId, fileId: string): Promise<number> {
    return (await stored(() => orNone(stat(this.#part(sessionId, fileId)))))?.size ?? 0;
  }

  async write(sessionId: SessionId, fileId: string, from: number, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    const file = await stored(() => open(this.#part(sessionId, fileId), 'r+'));
    let at = from;
    try {
      for await (const chunk of bytes) {
        await stored(() => writeAll(file, chunk, at));
        at += chunk.length;
      }
    } finally {
      await file.close();
    }
    return at;
  }

  /**
   * Completes an upload as a copy: a writer that still has the upload open cannot change what is
   * hashed.
   */
  async seal(sessionId: SessionId, upload: Upload, judge: (start: Uint8Array) => string): Promise<FileReference> {
    const { fileId, name } = upload;
    const copy = this.#path(sessionId, `${fileId}.${randomUUID()}`); // somebody else may be writing it, too
    try {
      const { sha256, size, start } = await stored(() => copyDurably(this.#part(sessionId, fileId), copy));
      const file: FileReference = { fileId, name, mediaType: judge(start), size, sha256 };
      await stored(async () => {
        await rename(copy, this.#whole(sessionId, file));
        await this.#record(sessionId, { ...upload, file });
        await rm(this.#part(sessionId, fileId), { force: true });
      });
      return file;
    } finally {
      await rm(copy, { force: true });
    }
  }

  async read(
    sessionId: SessionId,
    file: Pick<FileReference, 'fileId' | 'sha256'>,
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    if (!idPattern.test(file.fileId) || !hashPattern.test(file.sha256)) return undefined;
    const handle = await stored(() => orNone(open(this.#whole(sessionId, file), 'r')));
    return handle && (Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array>);
  }

  async keep(sessionId: SessionId, upload: Upload): Promise<void> {
    await stored(() => this.#record(sessionId, upload));
  }

  /** Removes an upload and anything a kill left of it. The record is deleted last, so that an interrupted removal is repeated. */
  async remove(sessionId: SessionId, fileId: string): Promise<void> {
    if (!(await this.find(sessionId, fileId))) return;
    const record = this.#recordPath(sessionId, fileId);
    await stored(async () => {
      const names = await readdir(this.#folderOf(sessionId));
      const own = names.filter((name) => name.split('.').includes(fileId)).map((name) => this.#path(sessionId, name));
      for (const path of own.filter((path) => path !== record)) await rm(path, { force: true });
      await rm(record, { force: true });
    });
  }

  async removeSession(sessionId: SessionId): Promise<void> {
    await stored(() => rm(this.#folderOf(sessionId), { recursive: true, force: true, maxRetries: 3 }));
  }

  async sessions(): Promise<readonly SessionId[]> {
    const names = await stored(() => orNone(readdir(this.#folder)));
    return (names ?? []).filter((name) => idPattern.test(name));
  }

  /** Writes a record atomically and durably. */
  async #record(sessionId: SessionId, upload: Upload): Promise<void> {
    const path = this.#recordPath(sessionId, upload.fileId);
    const temporary = `${path}.new`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(upload));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(this.#folderOf(sessionId));
  }

  #folderOf(sessionId: SessionId): string {
    if (!idPattern.test(sessionId)) throw new StoreError('failed', 'No folder can have the name of this session.');
    return join(this.#folder, sessionId);
  }

  #path(sessionId: SessionId, name: string): string {
    return join(this.#folderOf(sessionId), name);
  }

  #recordPath(sessionId: SessionId, fileId: string): string {
    return this.#path(sessionId, `${fileId}.json`);
  }

  #part(sessionId: SessionId, fileId: string): string {
    return this.#path(sessionId, `${fileId}.part`);
  }

  #whole(sessionId: SessionId, { fileId, sha256 }: Pick<FileReference, 'fileId' | 'sha256'>): string {
    return this.#path(sessionId, `${sha256}.${fileId}`);
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

async function copyDurably(from: string, to: string) {
  const hash: Hash = createHash('sha256');
  const target = await open(to, 'w', 0o600);
  let size = 0;
  let start = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(from) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (start.length < startLength) start = Buffer.concat([start, chunk]).subarray(0, startLength);
      await writeAll(target, chunk, size);
      size += chunk.length;
    }
    await target.sync();
  } finally {
    await target.close();
  }
  return { sha256: hash.digest('hex'), size, start: new Uint8Array(start) };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Resolves with undefined if there is no such file or folder. */
async function orNone<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');
    const words = isFull ? 'There is no space for files.' : `A file could not be stored: ${codeOf(error) ?? error}`;
    throw new StoreError(isFull ? 'full' : 'failed', words, { cause: error });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
