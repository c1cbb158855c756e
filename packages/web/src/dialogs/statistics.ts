import {
  type CaseGroup,
  type Statistics as Counted,
  chooseColumns,
  describeCount,
  nameGroup,
  passedOf,
  type StatisticsGrouping,
  showHidden,
  unreadWords,
} from '@parleyhq/core';
import { html, LitElement, nothing, svg } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { plainDialog } from '../styles/dialog.ts';
import '../ui/sheet-handle.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { statisticsStyles } from './statistics-styles.ts';

const groupings = {
  tool: 'By tool',
  rule: 'By rule',
  session: 'By session',
  person: 'By person',
  day: 'By day',
} as const satisfies Record<StatisticsGrouping, string>;

const dayMs = 86_400_000;

const periods = {
  day: { name: 'Last 24 hours', ms: dayMs },
  week: { name: 'Last 7 days', ms: 7 * dayMs },
  month: { name: 'Last 30 days', ms: 30 * dayMs },
  all: { name: 'All time', ms: undefined },
} as const;
type Period = keyof typeof periods;

/** What a row can be narrowed to, and the name that is shown for it. */
type Narrowing = 'session' | 'tool' | 'person';
type Narrowed = { readonly [Name in Narrowing]?: { readonly value: string; readonly name: string } };

type Reply = Counted & { readonly left: number };

/** How much is asked, how it is answered, and what passes without being asked (LESS1). */
@customElement('parley-statistics')
export class Statistics extends LitElement {
  static override styles = [base, controls, plainDialog, statisticsStyles];

  /** The session on the page; empty if there is none. */
  @property() sessionId = '';

  @state() private by: StatisticsGrouping = 'tool';
  @state() private period: Period = 'month';
  @state() private narrowed: Narrowed = {};
  @state() private counted: Reply | undefined;
  @state() private failure = '';
  @query('dialog') private dialog!: HTMLDialogElement;
  #reading: AbortController | undefined;

  async open(): Promise<void> {
    await this.updateComplete;
    this.narrowed = {};
    if (!this.dialog.open) this.dialog.showModal();
    this.renderRoot.querySelector<HTMLElement>('h2')?.focus();
    await this.#read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#reading?.abort();
  }

  override render() {
    return html`<dialog aria-labelledby="heading" @close=${() => this.#reading?.abort()}>
      <parley-handle></parley-handle>
      <form method="dialog" class="top">
        <h2 id="heading" tabindex="-1">How much is asked</h2>
        <button>Close</button>
      </form>
      <div class="choices">
        ${this.#renderChoice('Group', groupings, this.by, (by) => {
          this.by = by;
        })}
        ${this.#renderChoice(
          'Period',
          { day: periods.day.name, week: periods.week.name, month: periods.month.name, all: periods.all.name },
          this.period,
          (period) => {
            this.period = period;
          },
        )}
        ${this.#renderNarrowing()}
      </div>
      <div class="result" aria-busy=${this.counted === undefined && this.failure === ''}>
        ${this.counted ? this.#renderCounted(this.counted) : this.failure ? nothing : html`<p>Counting …</p>`}
      </div>
      <p class="said" role="status">${this.counted ? summarise(this.counted) : ''}</p>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
    </dialog>`;
  }

  #renderChoice<Name extends string>(
    label: string,
    options: Readonly<Record<Name, string>>,
    chosen: Name,
    choose: (name: Name) => void,
  ) {
    const change = ({ target }: Event) => {
      choose((target as HTMLSelectElement).value as Name);
      void this.#read();
    };
    const entries = Object.entries<string>(options);
    return html`<select aria-label=${label} @change=${change}>
      ${entries.map(([name, words]) => html`<option value=${name} ?selected=${name === chosen}>${words}</option>`)}
    </select>`;
  }

  /** Renders what the numbers are limited to, each with a button that lifts the limit. */
  #renderNarrowing() {
    const { sessionId, narrowed } = this;
    const narrowings = Object.entries(narrowed) as [Narrowing, { name: string }][];
    const isOffered = sessionId !== '' && !narrowed.session;
    return html`${
      isOffered
        ? html`<button class="plain" @click=${() => this.#narrow('session', sessionId, 'this session')}>Only this session</button>`
        : nothing
    }
    ${narrowings.map(
      ([what, { name }]) => html`<button
        class="plain"
        aria-label="Only ${showHidden(name)}: show all again"
        @click=${() => this.#widen(what)}
      >
        Only ${renderUntrusted(name)} ×
      </button>`,
    )}`;
  }

  #renderCounted(counted: Reply) {
    const { by, groups, total, left } = counted;
    if (groups.length === 0)
      return html`<p>Nothing yet: nothing was asked here, and nothing passed without being asked.</p>`;
    const columns = chooseColumns(counted);
    const most = Math.max(...groups.map(({ asked }) => asked), 1);
    return html`<div class="scroll" role="region" aria-label="Numbers" tabindex="0">
        <table>
          <caption class="unseen">${groupings[by]}, ${periods[this.period].name.toLowerCase()}</caption>
          <thead>
            <tr>
              <th scope="col">${groupings[by]}</th>
              ${columns.map(({ name, words }) => html`<th scope="col" class="number" title=${words}>${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${groups.map(
              (group) => html`<tr>
                <th scope="row">${this.#renderName(by, group)}${renderBar(group, most)}</th>
                ${columns.map((column) => renderNumber(describeCount(column, group)))}
              </tr>`,
            )}
          </tbody>
          ${
            groups.length > 1
              ? html`<tfoot>
                  <tr>
                    <th scope="row">All</th>
                    ${columns.map((column) => renderNumber(describeCount(column, total)))}
                  </tr>
                </tfoot>`
              : nothing
          }
        </table>
      </div>
      <p class="legend" aria-hidden="true"><i class="asked"></i> asked <i class="unread"></i> of these, allowed unread</p>
      ${left > 0 ? html`<p>${left} more are left out.</p>` : nothing}
      <p>${unreadWords}${by === 'day' ? ' Days are in UTC.' : ''}</p>`;
  }

  #renderName(by: StatisticsGrouping, group: CaseGroup) {
    const name = nameGroup(by, group);
    const { key } = group;
    const isNarrowing = by === 'tool' || by === 'session' || by === 'person';
    if (!isNarrowing || key === undefined) return html`<span class="name">${renderUntrusted(name)}</span>`;
    return html`<button class="name" @click=${() => this.#narrow(by, key, name)}>${renderUntrusted(name)}</button>`;
  }

  /** Limits the numbers to one row, and shows them by what says most about it. */
  #narrow(what: Narrowing, value: string, name: string): void {
    this.narrowed = { ...this.narrowed, [what]: { value, name } };
    if (this.by === what) this.by = what === 'tool' ? 'rule' : 'tool';
    this.#readAndFocus();
  }

  #widen(what: Narrowing): void {
    const { [what]: _, ...others } = this.narrowed;
    this.narrowed = others;
    this.#readAndFocus();
  }

  /** Moves the focus, because the button that was pressed is not rendered any more. */
  #readAndFocus(): void {
    this.renderRoot.querySelector<HTMLElement>('select')?.focus();
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.failure = '';
    this.counted = undefined;
    try {
      const counted = await this.#fetch(reading.signal);
      if (!reading.signal.aborted) this.counted = counted;
    } catch (error) {
      if (!reading.signal.aborted) this.failure = (error as Error).message;
    }
  }

  /** @throws Error that says why there are no numbers */
  async #fetch(signal: AbortSignal): Promise<Reply> {
    const { ms } = periods[this.period];
    const query = new URLSearchParams({ by: this.by });
    if (ms !== undefined) query.set('from', new Date(Date.now() - ms).toISOString());
    for (const [what, { value }] of Object.entries(this.narrowed)) query.set(what, value);
    const response = await fetch(`/api/stats?${query}`, { signal }).catch(() => undefined);
    if (!response) throw new Error('The server is not responding.');
    const reply = await response.json().catch(() => ({}));
    if (response.ok) return reply;
    throw new Error(reply.error?.message ?? 'The numbers could not be loaded.');
  }
}

function renderNumber(words: string) {
  return html`<td class="number ${words === '0' ? 'zero' : ''}">${words}</td>`;
}

/** Renders how often was asked and how much of it was allowed unread, as lengths; the table has the numbers. */
function renderBar({ asked, unread }: CaseGroup, most: number) {
  const part = (count: number, name: string) =>
    svg`<rect class=${name} width=${(100 * count) / most} height="6" rx="0.5"></rect>`;
  return html`<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    ${part(asked, 'asked')}${unread > 0 ? part(unread, 'unread') : nothing}
  </svg>`;
}

/** Says for a screen reader what changed. */
function summarise({ total }: Counted): string {
  const { asked, approved, unread } = total;
  return `${asked} asked, ${approved} allowed, of these ${unread} unread. ${passedOf(total)} passed without being asked.`;
}
