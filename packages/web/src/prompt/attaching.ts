import { type FileReference, maxAttachments } from '@parleyhq/core';
import { html, nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { isTextField } from '../browser/focus.ts';
import { icon } from '../ui/icons.ts';
import { isBrokenOff, keepAttached, readAttached } from './attached-draft.ts';
import type { Attachments } from './attachments.ts';

const clipIcon = icon('M18.5 11.5l-6.8 6.8a4 4 0 0 1-5.7-5.7l7.6-7.6a2.7 2.7 0 0 1 3.8 3.8L10.5 16');

/** What files are attached to. */
export interface Attachable {
  readonly to: Attachments['to'];
  readonly place: Attachments['place'];
  readonly draftKey: string;
  /** Whether files can be attached to it, and by this person. */
  readonly takesFiles: boolean;
  /** Whether nothing can be changed just now. */
  readonly isDisabled: boolean;
  /** Takes the files instead, where nothing could take an upload yet. */
  readonly take?: ((files: readonly File[]) => void) | undefined;
}

/** Files for drafts that are not on the page, by their keys. */
const awaited = new Map<string, readonly File[]>();

/** Attaches files to a draft once it is on the page. */
export function attachLater(draftKey: string, files: readonly File[]): void {
  if (files.length > 0) awaited.set(draftKey, files);
}

function chooseFiles(take: (files: readonly File[]) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
  input.addEventListener('change', () => take([...(input.files ?? [])]));
  input.click();
}

type Host = ReactiveControllerHost & HTMLElement & { readonly renderRoot: ParentNode };

/**
 * Attaches files to the answers of a card, or to a message: chosen, photographed, pasted or dropped anywhere on it (REV6). The control
 * is loaded when it is first needed.
 */
export class Attaching implements ReactiveController {
  readonly #host: Host;
  readonly #find: () => Attachable;
  /** Whether files were pasted or dropped whose control is not there yet. */
  #isBringing = false;
  /** Whether they could not be added, because the control did not load. */
  #isLost = false;
  /** The draft that files were brought to although it takes none. */
  #refused: string | undefined;
  /** The draft whose control was opened. It is also shown while there are files. */
  #opened: string | undefined;

  constructor(host: Host, find: () => Attachable) {
    this.#host = host;
    this.#find = find;
    host.addController(this);
    host.addEventListener('paste', (event) => this.#takeFrom(event, event.clipboardData));
    host.addEventListener('drop', (event) => this.#takeFrom(event, event.dataTransfer));
    host.addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files') && this.#isMeant(event)) event.preventDefault(); // so that it may be dropped
    });
  }

  hostUpdated(): void {
    if (awaited.size === 0) return;
    const { draftKey, takesFiles } = this.#find();
    const files = awaited.get(draftKey);
    if (!files || !takesFiles) return;
    awaited.delete(draftKey);
    void this.#bring(files);
  }

  /** Whether the control is shown: it was opened, or there are files. */
  get isShown(): boolean {
    const { draftKey } = this.#find();
    return this.#opened === draftKey || readAttached(draftKey).length > 0 || isBrokenOff(draftKey);
  }

  /** The files that are uploaded. */
  get files(): readonly FileReference[] {
    return readAttached(this.#find().draftKey);
  }

  /** Renders the button that opens the control, among the answer's own; its name says nothing that those say. */
  renderButton() {
    const { to, takesFiles, isDisabled, take } = this.#find();
    if (!takesFiles) return nothing;
    const isExpanded = take ? nothing : this.isShown;
    const name = to === 'answer' ? 'Attach files' : 'Attach files to the message'; // a page may have both
    return html`<button type="button" class="icon" slot="attach" ?disabled=${isDisabled} aria-label=${name} title=${name} aria-expanded=${isExpanded} aria-description="" @click=${() => this.#toggle()}>
      ${clipIcon}
    </button>`;
  }

  /** Renders the control, if it is open or there are files: in the slot of a form, or above the buttons, which may cover nothing. */
  render() {
    const { to, place, draftKey, takesFiles, isDisabled } = this.#find();
    if (!takesFiles && this.#refused === draftKey)
      return html`<p class="failure" slot="files" role="alert">${to === 'answer' ? 'This answer takes words only.' : 'Attach files on the card, or write a message instead.'}</p>`;
    const isBusy = this.#control?.isBusy ?? false; // without its control an upload would break off
    if (!this.isShown || !(takesFiles || isBusy)) return nothing;
    void import('./attachments.ts').catch(() => undefined); // one can answer without files
    return html`${keyed(
      draftKey,
      html`<parley-attachments
        slot="files"
        to=${to}
        .place=${place}
        draftKey=${draftKey}
        ?isDisabled=${isDisabled}
        .onChange=${() => this.#changed(draftKey)}
      ></parley-attachments>`,
    )}
    ${this.#isLost ? html`<p class="failure" slot="files" role="alert">The files were not added: the connection broke off. Add them again.</p>` : nothing}`;
  }

  /**
   * Adds the attached files to what is sent.
   * @returns undefined if they cannot be sent yet: the person then reads why, or sees how pasted files appear
   */
  addTo<Sent extends object>(sent: Sent): (Sent & { readonly files?: readonly FileReference[] }) | undefined {
    if (!this.#find().takesFiles) return sent;
    if (this.#isBringing) return undefined;
    const { files } = this;
    if (this.#control?.isBusy || files.length > maxAttachments) return void this.#control?.holdBack();
    return files.length > 0 ? { ...sent, files } : sent;
  }

  /** Empties the draft, and closes the control. */
  clear(): void {
    const { draftKey } = this.#find();
    if (this.files.length > 0) keepAttached(draftKey, undefined);
    this.#opened = undefined;
    this.#host.requestUpdate();
  }

  /** Keeps the control, in which the focus is, although its last file may be gone. */
  #changed(draftKey: string): void {
    this.#opened = draftKey;
    this.#host.requestUpdate();
  }

  get #control(): Attachments | null {
    return this.#host.renderRoot.querySelector<Attachments>('parley-attachments:defined');
  }

  #toggle(): void {
    const { take } = this.#find();
    if (take) return void chooseFiles(take);
    const isOpening = this.files.length > 0 || !this.isShown;
    this.#opened = undefined;
    this.#host.requestUpdate();
    if (isOpening)
      void this.#open().then(
        (control) => control?.focus(),
        () => undefined,
      ); // one can answer without files
  }

  async #open(): Promise<Attachments | null> {
    this.#opened = this.#find().draftKey;
    this.#host.requestUpdate();
    await import('./attachments.ts');
    await this.#host.updateComplete;
    return this.#control;
  }

  /** Whether files of this event are meant for this: those of a field are not, and a comment takes none. */
  #isMeant(event: Event): boolean {
    const isElsewhere = ({ localName, type }: Partial<HTMLInputElement>) =>
      localName === 'parley-discussion' || (localName === 'input' && type === 'file');
    return !this.#find().isDisabled && !event.composedPath().some((target) => isElsewhere(target as HTMLElement));
  }

  #takeFrom(event: Event, data: DataTransfer | null): void {
    const files = [...(data?.files ?? [])];
    const isText = data?.types.includes('text/plain') && isTextField(event.composedPath()[0]); // some programs copy a picture along with text
    if (files.length === 0 || isText || !this.#isMeant(event)) return;
    event.preventDefault();
    const { takesFiles, draftKey } = this.#find();
    this.#refused = takesFiles ? undefined : draftKey;
    this.#host.requestUpdate();
    if (takesFiles) void this.#bring(files);
  }

  async #bring(files: readonly File[]): Promise<void> {
    const { draftKey, take } = this.#find();
    if (take) return take(files);
    this.#isBringing = true;
    this.#isLost = false;
    try {
      const control = await this.#open();
      if (this.#find().draftKey === draftKey) await control?.add(files); // not to what has taken its place
    } catch {
      this.#isLost = true;
    } finally {
      this.#isBringing = false;
      this.#host.requestUpdate();
    }
  }
}
