import type { ParleyClient } from '@parleyhq/client';
import { foldText, type InboxEntry, type Session } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { isComposing } from '../browser/focus.ts';
import { headingOf, subjectLine } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { formatAge, formatWait } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { type Commands, listCommands } from './commands.ts';
import { paletteStyles } from './palette-styles.ts';
import { SessionFinder } from './session-finder.ts';

interface Option {
  readonly id: string;
  readonly group: 'Prompts' | 'Sessions' | 'Archived' | 'Actions';
  readonly face: unknown;
  readonly hint: unknown;
  run(): void;
}

/** How many sessions are offered before anything is typed. */
const recentSessions = 6;

/** How many prompts are offered. */
const mostPrompts = 6;

/** The command palette: one field that finds every session and every command of the page. */
@customElement('parley-palette')
export class Palette extends LitElement {
  static override styles = [base, controls, paletteStyles];

  @property({ attribute: false }) client!: ParleyClient;
  @property({ attribute: false }) commands!: Commands;
  /** Session on the page. */
  @property() sessionId = '';

  @state() private isOpen = false;
  /** Id of the option that Enter takes. */
  @state() private active = '';
  @query('dialog') private dialog!: HTMLDialogElement;
  @query('input') private input!: HTMLInputElement | null;
  readonly #finder = new SessionFinder(this);

  async open(): Promise<void> {
    this.#finder.find('');
    this.active = '';
    this.isOpen = true;
    await this.updateComplete;
    if (!this.dialog.open) this.dialog.showModal();
  }

  override render() {
    if (!this.isOpen) return html`<dialog></dialog>`;
    const options = this.#options;
    const active = this.#activeOf(options);
    const { isComplete, failure, query } = this.#finder;
    const isSearching = query !== '' && !isComplete && failure === '';
    return html`<dialog aria-label="Go to or do" @close=${this.#close} @click=${this.#leave}>
      <div class="box">
        <div class="field">
          ${icons.search}<input
            role="combobox"
            aria-label="Find a session or an action"
            aria-expanded="true"
            aria-autocomplete="list"
            aria-controls="options"
            aria-activedescendant=${active?.id ?? nothing}
            placeholder="Find a session or an action"
            autocomplete="off"
            spellcheck="false"
            dir="auto"
            @input=${this.#search}
            @keydown=${this.#press}
          />
        </div>
        <div class="options" id="options" role="listbox" aria-label="Sessions and actions">
          ${(['Prompts', 'Sessions', 'Archived', 'Actions'] as const).map((group) => this.#renderGroup(group, options, active))}
        </div>
        <p class="note" role="status">
          ${options.length === 0 && !isSearching ? 'Nothing is called that.' : isSearching ? 'Searching …' : nothing}
          ${failure ? renderUntrusted(failure) : nothing}
        </p>
      </div>
    </dialog>`;
  }

  protected override updated(): void {
    this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  #renderGroup(group: Option['group'], all: readonly Option[], active: Option | undefined) {
    const options = all.filter((option) => option.group === group);
    if (options.length === 0) return nothing;
    return html`<div role="group" aria-labelledby=${group}>
      <p class="group" id=${group} role="presentation">${group}</p>
      ${repeat(
        options,
        ({ id }) => id,
        (option) => html`<div
          class="option"
          role="option"
          id=${option.id}
          aria-selected=${option.id === active?.id ? 'true' : 'false'}
          @click=${() => this.#take(option)}
        >
          <span class="name">${option.face}</span><span class="hint">${option.hint}</span>
        </div>`,
      )}
    </div>`;
  }

  get #options(): readonly Option[] {
    const { query, found } = this.#finder;
    const words = foldText(query).split(/\s+/);
    const fits = (name: string) => words.every((word) => foldText(name).includes(word));
    const recent = this.client.state.sessions.filter(({ id, archived }) => !archived && id !== this.sessionId);
    const current = query === '' ? recent.slice(0, recentSessions) : found.current;
    return [
      ...this.#finder.prompts.slice(0, mostPrompts).map((entry) => this.#optionOfPrompt(entry)),
      ...current.map((session) => this.#optionOf(session, 'Sessions')),
      ...(query === '' ? [] : found.archived.map((session) => this.#optionOf(session, 'Archived'))),
      ...listCommands(this.client, this.sessionId, this.commands)
        .filter(({ name }) => fits(name))
        .map(({ name, key, run }): Option => {
          return {
            id: `act ${name}`.replaceAll(' ', '-'),
            group: 'Actions',
            face: name,
            hint: key ? html`<kbd>${key}</kbd>` : nothing,
            run,
          };
        }),
    ];
  }

  #optionOfPrompt(entry: InboxEntry): Option {
    const { sessionId, sessionTitle, interaction } = entry;
    const { interactionId } = interaction;
    const title = this.client.state.sessions.find(({ id }) => id === sessionId)?.title ?? sessionTitle ?? '';
    return {
      id: `prompt-${sessionId}-${interactionId}`,
      group: 'Prompts',
      face: renderUntrusted(headingOf(interaction)),
      hint: html`${renderUntrusted(subjectLine(interaction) || title)} · ${formatWait(entry, this.client.now())}`,
      run: () => this.commands.enter({ sessionId, interactionId }),
    };
  }

  #optionOf({ id, title, updatedAt }: Session, group: Option['group']): Option {
    const run = () => this.commands.enter({ sessionId: id });
    return {
      id: `session-${id}`,
      group,
      face: renderUntrusted(title),
      hint: formatAge(updatedAt, this.client.now()),
      run,
    };
  }

  /** Returns the active option while it is in the list, otherwise the first one. */
  #activeOf(options: readonly Option[]): Option | undefined {
    return options.find(({ id }) => id === this.active) ?? options[0];
  }

  #search(): void {
    this.active = '';
    this.#finder.find(this.input?.value ?? '');
  }

  #press(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    const options = this.#options;
    const active = this.#activeOf(options);
    const at = active ? options.indexOf(active) : -1;
    if (event.key === 'ArrowDown') this.active = options[(at + 1) % options.length]?.id ?? '';
    else if (event.key === 'ArrowUp') this.active = options.at(at - 1)?.id ?? '';
    else if (event.key === 'Enter' && active) this.#take(active);
    else if (event.key === 'k' && (event.ctrlKey || event.metaKey)) this.dialog.close();
    else return;
    event.preventDefault();
  }

  /** Runs an option. The dialog closes first, so that what the option opens gets the focus. */
  #take(option: Option): void {
    this.dialog.close();
    option.run();
  }

  #leave(event: MouseEvent): void {
    if (event.target === this.dialog) this.dialog.close(); // a click on the backdrop
  }

  #close(): void {
    this.isOpen = false;
  }
}
