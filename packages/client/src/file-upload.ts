import { type FileReference, isFileReference, isRecord, RefusalError, type WireErrorCode } from '@parleyhq/core';

/** What a file is for, and the credential to upload it. */
export interface UploadTarget {
  /** Address of the server, such as `http://127.0.0.1:7420`. */
  readonly origin: string;
  /** Access token, if there is no login cookie. */
  readonly token?: string | undefined;
  /** Key of a one-time link, instead of a login: it can upload only for its own prompt (NTF3). */
  readonly key?: string | undefined;
  readonly sessionId: string;
  /** The prompt that the file answers; without one, the file is for a message (REV6). */
  readonly interactionId?: string | undefined;
  /** The field's id; without one, the file is to be attached to the answer (REV6). */
  readonly field?: string | undefined;
}

/** Content to upload: a `File`, or a blob of `fs.openAsBlob` with a name. */
export type UploadContent = Pick<Blob, 'size' | 'type' | 'slice'> & { readonly name: string };

export interface UploadOptions {
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** Called with the number of bytes that the server has received. */
  readonly onProgress?: (sent: number) => void;
}

/** The connection broke too often. Calling `run` again continues the upload. */
export class UploadLostError extends Error {
  override readonly name = 'UploadLostError';
}

/** Pauses between attempts, in ms. After the last one the upload fails. */
const waits = [250, 500, 1000, 2000, 4000, 8000];

/** Sizes of a part, in bytes. It should take about a second, so that progress is visible and little is sent twice. */
const parts = { first: 64 * 1024, most: 4 * 1024 * 1024 } as const;
const slowMs = 2000;
const quickMs = 500;

interface State {
  readonly fileId: string;
  readonly offset: number;
  readonly file?: FileReference;
}

/** The upload of a file in parts: after a broken connection, parts that the server has are not sent again (PLG13). */
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
   * Starts or continues the upload. @returns the value with which to answer the field, or a file of the message
   * @throws RefusalError if the server does not accept the file; UploadLostError; the signal's reason
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

  /** Cancels the upload, and deletes it from the server if that can be reached. */
  async cancel(): Promise<void> {
    if (this.#fileId === undefined) return;
    const { fetch = globalThis.fetch } = this.#options;
    await fetch(this.#url(`uploads/${this.#fileId}`), { method: 'DELETE', headers: this.#headers() }).catch(
      () => undefined, // the server deletes files without an answer in any case
    );
  }

  /** Repeats a request until it succeeds. @param attempt - `isAgain`: an earlier one was lost, and may have had an effect */
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
    const prompt = interactionId === undefined ? '' : `interactions/${encodeURIComponent(interactionId)}/`;
    return this.#request('POST', `${prompt}files${field ? `/${encodeURIComponent(field)}` : ''}`, {
      'Upload-Length': String(size),
      'Content-Type': type || 'application/octet-stream',
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.replace(/\p{Cs}/gu, ''))}`,
    });
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
      if (stands) return stands; // continue from there: an earlier part has arrived after all
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
    const reply: unknown = await response.json().catch(() => undefined);
    const state = response.ok ? readState(reply) : undefined;
    if (state) return state;
    const error = isRecord(reply) && isRecord(reply.error) ? reply.error : undefined;
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

/** Uploads a file for a field; use `FileUpload` to be able to continue after a failure. */
export function uploadFile(
  target: UploadTarget,
  content: UploadContent,
  options?: UploadOptions,
): Promise<FileReference> {
  return new FileUpload(target, content, options).run();
}

/** Refusals that may be temporary. */
const passing: ReadonlySet<WireErrorCode> = new Set(['rate_limited', 'retry_later', 'storage_busy', 'internal']);

function readState(reply: unknown): State | undefined {
  if (!isRecord(reply) || typeof reply.fileId !== 'string' || typeof reply.offset !== 'number') return undefined;
  const { fileId, offset, file } = reply;
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
