import { FileUpload, UploadLostError } from '@parleyhq/client';
import {
  checkFile,
  cleanFileName,
  describeBytes,
  describeKinds,
  type Field,
  type FileReference,
  type Json,
  listFiles,
  maxBytesOf,
  showHidden,
} from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { ifDefined } from 'lit/directives/if-defined.js';
import { repeat } from 'lit/directives/repeat.js';
import { draftStore } from '../browser/draft-store.ts';
import { findEmbedding, homeOf } from '../browser/embedding.ts';
import { findKey } from '../browser/one-time.ts';
import { icons } from '../ui/icons.ts';
import type { FieldContext } from './field-context.ts';
import { fileStyles } from './file-styles.ts';

/** A file that is being uploaded, or whose upload failed. */
interface Sending {
  readonly name: string;
  readonly size: number;
  readonly upload: FileUpload | undefined;
  readonly abort: AbortController;
  sent: number;
  /** Why the upload stopped. */
  fault?: string;
  /** Whether the upload can be resumed. */
  canRetry?: boolean;
  /** Set if the page was reloaded, or the form removed, during the upload: the file has to be chosen again. */
  readonly isBroken?: true;
}

/** Adds the styles to a form with its first file field: most forms have none. */
function dress({ adoptedStyleSheets }: ShadowRoot): void {
  const { styleSheet } = fileStyles;
  if (styleSheet && !adoptedStyleSheets.includes(styleSheet)) adoptedStyleSheets.push(styleSheet);
}

/**
 * Lets people choose or drop files, and uploads them while they fill in the rest of the form. It renders into the form's own
 * tree, so that the form's label names its control.
 */
@customElement('parley-file-field')
export class FileField extends LitElement {
  @property({ attribute: false }) context!: FieldContext;
  /** Whether an upload is running, or has failed and was neither retried nor removed. */
  @property({ type: Boolean, reflect: true }) busy = false;
  @state() private isOver = false;
  @state() private sending: readonly Sending[] = [];
  @state() private said = '';
  /** Set when the element was connected to a form whose interrupted uploads are still to be shown. */
  #isBack = false;
  #queue: Promise<void> = Promise.resolve();

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    dress(this.getRootNode() as ShadowRoot);
    this.#isBack = true;
    this.requestUpdate();
  }

  /** Aborts the uploads. Their names stay stored, so that the form can list them when it is shown again. */
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const { abort } of this.sending) abort.abort();
    this.#isBack = false;
    this.#show([]);
  }

  protected override willUpdate(): void {
    if (this.#isBack) this.#show(draftStore.readUploads(this.#draftKey, this.context.field.id).map(describeBroken));
    this.#isBack = false;
  }

  /** Gives the control the names of all files, so that screen readers announce them instead of "no file chosen". */
  protected override updated(): void {
    const input = this.querySelector('input');
    const held = [...listFiles(this.context.value), ...this.sending.filter(({ fault }) => fault === undefined)];
    const names = held.map(({ name }) => showHidden(name));
    if (!input || names.join('\n') === Array.from(input.files ?? [], ({ name }) => name).join('\n')) return;
    const shown = new DataTransfer();
    for (const name of names) shown.items.add(new File([], name));
    input.files = shown.files;
  }

  /** Whether a file is listed that can never be sent, and none is on its way. */
  get isStuck(): boolean {
    return this.sending.every(({ fault, canRetry }) => fault !== undefined && !canRetry);
  }

  /** The draft key of the form around this element. */
  get #draftKey(): string {
    return ((this.getRootNode() as ShadowRoot).host as HTMLElement & { readonly draftKey: string }).draftKey;
  }

  override render() {
    const { field, id, error, isDisabled, describedBy } = this.context;
    const files = listFiles(this.context.value);
    const takes = `${id}-takes`;
    const isFull = field.multiple ? undefined : files.length > 0 || this.sending.length > 0;
    return html`<div class="drop ${this.isOver ? 'over' : ''}" @dragover=${this.#enter} @dragleave=${this.#leave} @drop=${this.#leave}>
        <input
          id=${id}
          name=${field.id}
          type="file"
          ?multiple=${field.multiple}
          accept=${ifDefined(field.accept?.join(','))}
          ?required=${field.required}
          aria-invalid=${error ? 'true' : 'false'}
          aria-describedby=${[takes, describedBy].filter(Boolean).join(' ')}
          ?disabled=${isDisabled}
          @change=${this.#choose}
        />
        <span aria-hidden="true">${icons.plus}<span>${describeChoosing(field, isFull === true)}<span class="by-mouse">, or drop ${field.multiple ? 'them' : 'it'} here</span></span></span>
      </div>
      <p class="about" id=${takes}>${describeTaken(field)}</p>
      <ul class="files" ?hidden=${files.length + this.sending.length === 0}>
        ${repeat(
          files,
          ({ fileId }) => fileId,
          (file) => this.#renderFile(file),
        )}
        ${this.sending.map((each) => this.#renderSending(each))}
      </ul>
      <p class="visually-hidden" role="status">${this.said}</p>`;
  }

  #renderFile(file: FileReference) {
    return html`<li>
      <span class="mark">${icons.check}</span>
      <span class="name untrusted">${showHidden(file.name)}</span>
      <span class="about">${describeBytes(file.size)}</span>
      ${this.#renderButton(`Remove ${showHidden(file.name)}`, () => this.#drop(file))}
    </li>`;
  }

  #renderSending(each: Sending) {
    const { name, size, sent, fault, canRetry } = each;
    const share = Math.floor((100 * sent) / size);
    const label = `${fault === undefined ? 'Stop uploading' : 'Remove'} ${showHidden(name)}`;
    return html`<li class=${fault === undefined ? '' : 'failed'}>
      <span class="name untrusted">${showHidden(name)}</span>
      ${
        fault === undefined
          ? html`<progress max=${size} .value=${sent} aria-label="Uploading ${showHidden(name)}"></progress>
              <span class="about">${share} %</span>`
          : html`<span class="fault">${showHidden(fault)}</span>`
      }
      ${canRetry ? html`<button type="button" @click=${() => this.#send(each)}>Try again</button>` : nothing}
      ${this.#renderButton(label, () => this.#stop(each))}
    </li>`;
  }

  #renderButton(label: string, onClick: () => void) {
    if (this.context.isDisabled) return nothing;
    return html`<button type="button" class="icon" aria-label=${label} title=${label} aria-description="" @click=${onClick}>${icons.cross}</button>`;
  }

  /** Uploads these files. */
  add(files: Iterable<File>): void {
    for (const file of files) this.#begin(file);
  }

  /** Reads chosen and dropped files alike: the control covers the drop area, so both arrive here. */
  #choose({ target }: Event): void {
    const input = target as HTMLInputElement;
    this.add(input.files ?? []);
    input.value = ''; // the same file can be chosen again
    this.requestUpdate();
  }

  #begin(file: File): void {
    const { field, place } = this.context;
    const { type, size } = file;
    const name = cleanFileName(file.name);
    const fault = checkFile(field, { name, mediaType: type.toLowerCase(), size });
    const abort = new AbortController();
    const others = field.multiple ? this.sending.filter((each) => !each.isBroken || each.name !== name) : [];
    if (!field.multiple) for (const last of this.sending) last.abort.abort();
    const target = { ...place, origin: homeOf(this), token: tokenOf(this), key: findKey(this), field: field.id };
    const sending: Sending = {
      ...{ name, size, abort, sent: 0 },
      upload:
        fault === undefined
          ? new FileUpload(target, file, { signal: abort.signal, onProgress: (sent) => this.#progress(sending, sent) })
          : undefined,
      ...(fault !== undefined && { fault }),
    };
    this.#setSending([...others, sending]);
    if (fault === undefined) this.#send(sending);
    else this.said = fault;
  }

  /** Queues the upload. Uploading files one after the other completes each of them sooner. */
  #send(sending: Sending): void {
    delete sending.fault;
    sending.canRetry = false;
    this.said = `Uploading ${sending.name}`;
    this.requestUpdate();
    this.#queue = this.#queue.then(() => this.#run(sending));
  }

  async #run(sending: Sending): Promise<void> {
    if (sending.abort.signal.aborted || !sending.upload) return;
    try {
      this.#take(sending, await sending.upload.run());
    } catch (error) {
      if (sending.abort.signal.aborted) return;
      const isLost = error instanceof UploadLostError;
      sending.fault = isLost ? 'The connection broke off. What was sent is kept.' : (error as Error).message;
      sending.canRetry = isLost;
      this.said = `${sending.name}: ${sending.fault}`;
      this.requestUpdate();
    }
  }

  #take(sending: Sending, file: FileReference): void {
    const { field, value } = this.context;
    this.#setSending(this.sending.filter((each) => each !== sending));
    this.said = `${file.name} is uploaded`;
    this.#input(field.multiple ? [...listFiles(value), file] : file);
  }

  #progress(sending: Sending, sent: number): void {
    sending.sent = sent;
    this.requestUpdate();
  }

  #stop(sending: Sending): void {
    sending.abort.abort();
    void sending.upload?.cancel();
    this.#setSending(this.sending.filter((each) => each !== sending));
    this.#afterRemoval(sending.name);
  }

  #drop({ fileId, name }: FileReference): void {
    const left = listFiles(this.context.value).filter((file) => file.fileId !== fileId);
    this.#input(left.length > 0 ? [...left] : undefined);
    this.#afterRemoval(name);
  }

  /** Moves the focus into the field, because the pressed button was removed. */
  #afterRemoval(name: string): void {
    this.said = `${name} is removed`;
    this.querySelector('input')?.focus();
  }

  #input(value: Json | undefined): void {
    this.context.onInput(value);
  }

  #setSending(sending: readonly Sending[]): void {
    const names = sending.filter(({ upload, isBroken }) => upload || isBroken).map(({ name }) => name);
    draftStore.writeUploads(this.#draftKey, this.context.field.id, names);
    this.#show(sending);
  }

  #show(sending: readonly Sending[]): void {
    this.sending = sending;
    if (this.busy === sending.length > 0) return;
    this.busy = sending.length > 0;
    this.dispatchEvent(new CustomEvent('parley-busy', { bubbles: true }));
  }

  #enter(): void {
    this.isOver = !this.context.isDisabled;
  }

  #leave(): void {
    this.isOver = false;
  }
}

function describeBroken(name: string): Sending {
  const fault = `${name} was not sent to its end: choose it again.`;
  return { name, size: 0, upload: undefined, abort: new AbortController(), sent: 0, fault, isBroken: true };
}

/** Returns the token of an embedding element, where no cookie logs in. */
function tokenOf(element: Element): string | undefined {
  const embedding = findEmbedding(element);
  return embedding && 'token' in embedding ? (embedding.token as string | undefined) : undefined;
}

function describeChoosing({ multiple }: Field, isFull: boolean): string {
  if (multiple) return 'Choose files';
  return isFull ? 'Choose another file' : 'Choose a file';
}

function describeTaken(field: Field): string {
  const kinds = field.accept ? `${showHidden(describeKinds(field.accept))}, ` : '';
  const count = field.multiple && field.max !== undefined ? `${field.max} files, ` : '';
  return `${kinds}${kinds ? 'at' : 'At'} most ${count}${describeBytes(maxBytesOf(field))}${field.multiple ? ' each' : ''}`;
}
