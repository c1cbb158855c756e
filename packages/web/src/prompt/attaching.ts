import { type Answer, type InteractionRequest, type Item, takesAttachments } from '@parleyhq/core';
import { html, nothing, type ReactiveController, type ReactiveControllerHost } from 'lit';
import { isTextField } from '../browser/focus.ts';
import { icons } from '../ui/icons.ts';
import { isBrokenOff, readAttached } from './attached-draft.ts';
import type { Attachments } from './attachments.ts';

/** The prompt that files are attached to. */
export interface Attachable {
  readonly request: InteractionRequest;
  readonly tool: Item | undefined;
  readonly sessionId: string;
  readonly draftKey: string;
  /** Whether this person may answer it now. */
  readonly mayAnswer: boolean;
}

type Host = ReactiveControllerHost & HTMLElement & { readonly renderRoot: ParentNode };

/**
 * Attaches files to the answers of a card: chosen, photographed, pasted or dropped anywhere on it (REV6). The control is loaded when it
 * is first needed.
 */
export class Attaching implements ReactiveController {
  readonly #host: Host;
  readonly #find: () => Attachable;
  /** Whether files were pasted or dropped whose control is not there yet. */
  #isBringing = false;
  /** Whether they could not be added, because the control did not load. */
  #isLost = false;
  /** Whether the control was opened. It is also shown while there are files. */
  #isOpen = false;

  constructor(host: Host, find: () => Attachable) {
    this.#host = host;
    this.#find = find;
    host.addController(this);
    host.addEventListener('paste', (event) => this.#takeFrom(event, event.clipboardData));
    host.addEventListener('drop', (event) => this.#takeFrom(event, event.dataTransfer));
    host.addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files') && this.#isWanted(event)) event.preventDefault(); // so that it may be dropped
    });
  }

  hostConnected(): void {}

  /** Renders the button that opens the control, among the answer's own; its name says nothing that those say. */
  renderButton(isDisabled: boolean) {
    if (!this.#takes) return nothing;
    const isShown = this.#isShown;
    return html`<button class="icon" slot="attach" ?disabled=${isDisabled} aria-label="Attach files" title="Attach files" aria-expanded=${isShown} aria-description="" @click=${() => this.#toggle()}>
      ${icons.clip}
    </button>`;
  }

  /** Renders the control, if it is open or there are files: in the slot of a form, or above the buttons, which may cover nothing. */
  render(isDisabled: boolean) {
    if (!this.#takes || !this.#isShown) return nothing;
    void import('./attachments.ts').catch(() => undefined); // one can answer without files
    const { request, sessionId, draftKey } = this.#find();
    return html`<parley-attachments
      slot="files"
      .place=${{ sessionId, interactionId: request.interactionId }}
      draftKey=${draftKey}
      ?isDisabled=${isDisabled}
    ></parley-attachments>
    ${this.#isLost ? html`<p class="failure" slot="files" role="alert">The files were not added: the connection broke off. Add them again.</p>` : nothing}`;
  }

  /** Adds the attached files to an answer. @returns undefined if one is not uploaded yet: the person then reads why nothing was sent */
  addTo(answer: Answer): Answer | undefined {
    if (!this.#takes) return answer;
    if (this.#isBringing) return undefined; // what was pasted just now is about to be uploaded
    if (this.#control?.isBusy) return void this.#control.holdBack();
    const files = readAttached(this.#find().draftKey);
    return files.length > 0 ? { ...answer, files } : answer;
  }

  get #control(): Attachments | null {
    return this.#host.renderRoot.querySelector<Attachments>('parley-attachments:defined');
  }

  get #takes(): boolean {
    const { request, tool, mayAnswer } = this.#find();
    return mayAnswer && takesAttachments(request, tool?.kind === 'tool' ? tool.call?.payload : undefined);
  }

  get #isShown(): boolean {
    const { draftKey } = this.#find();
    return this.#isOpen || readAttached(draftKey).length > 0 || isBrokenOff(draftKey);
  }

  #toggle(): void {
    const hasFiles = readAttached(this.#find().draftKey).length > 0;
    this.#isOpen = hasFiles || !this.#isShown;
    this.#host.requestUpdate();
    if (this.#isOpen)
      void this.#open().then(
        (control) => control?.focus(),
        () => undefined,
      ); // one can answer without files
  }

  async #open(): Promise<Attachments | null> {
    this.#isOpen = true;
    this.#host.requestUpdate();
    await import('./attachments.ts');
    await this.#host.updateComplete;
    return this.#control;
  }

  /** Whether files of this event are for the answer: those of a field are not, and a comment takes none. */
  #isWanted(event: Event): boolean {
    const isElsewhere = ({ localName, type }: Partial<HTMLInputElement>) =>
      localName === 'parley-discussion' || (localName === 'input' && type === 'file');
    return this.#takes && !event.composedPath().some((target) => isElsewhere(target as HTMLElement));
  }

  #takeFrom(event: Event, data: DataTransfer | null): void {
    const files = [...(data?.files ?? [])];
    const isText = data?.types.includes('text/plain') && isTextField(event.composedPath()[0]); // some programs copy a picture along with text
    if (files.length === 0 || isText || !this.#isWanted(event)) return;
    event.preventDefault();
    void this.#bring(files);
  }

  async #bring(files: readonly File[]): Promise<void> {
    this.#isBringing = true;
    this.#isLost = false;
    try {
      await (await this.#open())?.add(files);
    } catch {
      this.#isLost = true;
    } finally {
      this.#isBringing = false;
      this.#host.requestUpdate();
    }
  }
}
