import { type FileReference, isFileReference, isRecord, RefusalError, type WireErrorCode } from '@parleyhq/core';

/** The field that a file is for. */
export interface UploadTarget {
  /** Such as `http://127.0.0.1:7420`. */
  readonly origin: string;
  /** Where no cookie logs in. */
  readonly token?: string | undefined;
  /** Of a one-time link, in place of a log-in: it uploads for its own prompt and nothing else (NTF3). */
  readonly key?: string | undefined;
  readonly sessionId: string;
  readonly interactionId: string;
  /** The field's id. */
  readonly field: string;
}

/** What is uploaded: a `File` of a browser or of Node, or what `fs.openAsBlob` gives with a name. */
export type UploadContent = Pick<Blob, 'size' | 'type' | 'slice'> & { readonly name: string };

export interface UploadOptions {
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** Called with how many bytes the server has. */
  readonly onProgress?: (sent: number) => void;
}

/** The connection broke, again and again: `run` goes on where the upload stands. */
export class UploadLostError extends Error {
  override readonly name = 'UploadLostError';
}

/** In ms: waits between attempts. After the last of them it is given up until somebody asks for it again. */
const waits = [250, 500, 1000, 2000, 4000, 8000];

/** In bytes. A part should take about a second, so that progress is seen and little is sent twice. */
const parts = { first: 64 * 1024, most: 4 * 1024 * 1024 } as const;
const slowMs = 2000;
const quickMs = 500;

interface State {
  readonly fileId: string;
  readonly offset: number;
  readonly file?: FileReference;
}

/** One file on its way to the server, in parts: what was sent is not sent again after a broken connection (PLG13). */
export class FileUpload {
  readonly #target: UploadTarget;
  readonly #content: UploadContent;
  readonly #options: UploadOptions;
  #fileId: string | undefined;
  #partBytes: number = parts.first;

  constructor(target: UploadTarget, content: UploadContent, options: UploadOptions = {}) {
    this.#target = target;
    this.#content = content;
    this.#options = options;
  }

  /**
   * Uploads it, or goes on where it stands. @returns what to answer the field with
   * @throws RefusalError where the server does not take it; UploadLostError; the signal's reason
   */
  async run(): Promise<FileReference> {
    let state = await this.#patiently(() => (this.#fileId === undefined ? this.#begin() : this.#look()));
    this.#fileId = state.fileId;
    while (!state.file) {
      this.#options.onProgress?.(state.offset);
      const { offset } = state;
      state = await this.#patiently((isAgain) => (isAgain ? this.#look() : this.#send(offset)));
    }
    this.#options.onProgress?.(state.offset);
    return state.file;
  }

  /** Gives it up, at the server, too, as far as that can be reached. */
  async cancel(): Promise<void> {
    if (this.#fileId === undefined) return;
    const { fetch = globalThis.fetch } = this.#options;
    await fetch(this.#url(`uploads/${this.#fileId}`), { method: 'DELETE', headers: this.#headers() }).catch(
      () => undefined, // what nobody answers with is deleted there in any case
    );
  }

  /** Until a request gets through. @param attempt - told whether one before was lost, whose effect nobody knows */
  async #patiently(attempt: (isAgain: boolean) => Promise<State>): Promise<State> {
    for (let count = 0; ; count += 1) {
      this.#options.signal?.throwIfAborted();
      try {
        return await attempt(count > 0);
      } catch (error) {
        this.#options.signal?.throwIfAborted();
        if (error instanceof RefusalError && !passing.has(error.code)) throw error;
        const wait = waits[count];
        if (wait === undefined)
          throw error instanceof RefusalError ? error : new UploadLostError('The upload broke off.', { cause: error });
        this.#partBytes = parts.first;
        await sleep(wait, this.#options.signal);
      }
    }
  }

  #begin(): Promise<State> {
    const { interactionId, field } = this.#target;
    const { name, type, size } = this.#content;
    return this.#request(
      'POST',
      `interactions/${encodeURIComponent(interactionId)}/files/${encodeURIComponent(field)}`,
      {
        'Upload-Length': String(size),
        'Content-Type': type || 'application/octet-stream',
        'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.replace(/\p{Cs}/gu, ''))}`,
      },
    );
  }

  #look(): Promise<State> {
    return this.#request('GET', `uploads/${this.#fileId}`);
  }

  async #send(offset: number): Promise<State> {
    const part = this.#content.slice(offset, offset + this.#partBytes);
    const begun = performance.now();
    const state = await this.#request(
      'PATCH',
      `uploads/${this.#fileId}`,
      { 'Upload-Offset': String(offset) },
      part,
    ).catch((error: unknown) => {
      const stands = error instanceof RefusalError && error.code === 'stale' ? readState(error.details) : undefined;
      if (stands) return stands; // it goes on elsewhere: an earlier part came after all
      throw error;
    });
    const ms = performance.now() - begun;
    if (ms < quickMs) this.#partBytes = Math.min(this.#partBytes * 2, parts.most);
    else if (ms > slowMs) this.#partBytes = Math.max(this.#partBytes / 2, parts.first);
    return state;
  }

  async #request(method: string, path: string, headers: Record<string, string> = {}, body?: Blob): Promise<State> {
    const { fetch = globalThis.fetch, signal } = this.#options;
    const response = await fetch(this.#url(path), {
      method,
      headers: { ...this.#headers(), ...headers },
      ...(body && { body }),
      ...(signal && { signal }),
    });
    const told: unknown = await response.json().catch(() => undefined);
    const state = response.ok ? readState(told) : undefined;
    if (state) return state;
    const error = isRecord(told) && isRecord(told.error) ? told.error : undefined;
    if (!error) throw new Error(`The server said ${response.status}.`);
    throw new RefusalError(error.code as WireErrorCode, { message: String(error.message), details: error.details });
  }

  #url(path: string): string {
    return `${this.#target.origin}/api/sessions/${encodeURIComponent(this.#target.sessionId)}/${path}`;
  }

  #headers(): Record<string, string> {
    const { token, key } = this.#target;
    if (key !== undefined) return { 'Parley-Key': key };
    return token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }
}

/** Uploads a file for a field; see `FileUpload` for one that can be gone on with. */
export function uploadFile(
  target: UploadTarget,
  content: UploadContent,
  options?: UploadOptions,
): Promise<FileReference> {
  return new FileUpload(target, content, options).run();
}

/** Refusals that may be over in a moment. */
const passing: ReadonlySet<WireErrorCode> = new Set(['rate_limited', 'retry_later', 'storage_busy', 'internal']);

function readState(told: unknown): State | undefined {
  if (!isRecord(told) || typeof told.fileId !== 'string' || typeof told.offset !== 'number') return undefined;
  const { fileId, offset, file } = told;
  return { fileId, offset, ...(isFileReference(file) && { file }) };
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
