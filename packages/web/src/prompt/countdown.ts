import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { icon } from '../ui/icons.ts';

const clockIcon = icon('M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2');

const announcedAt = [60_000, 10_000];
const readableMs = 5000;

/** The time left, by the server's clock: amber at 60 s, red at 10 s, each announced once (WEB5). */
@customElement('parley-countdown')
export class Countdown extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: inline-flex;
      }
      .time {
        display: inline-flex;
        gap: 0.35em;
        align-items: center;
        font: 500 0.8125rem/1 var(--sans);
        font-variant-numeric: tabular-nums;
        color: var(--ink-2);
        white-space: nowrap;
        padding: 0.25rem 0.5rem;
        border-radius: 99px;
      }
      .amber {
        color: var(--amber);
        background: var(--sunken);
      }
      .red {
        color: var(--danger);
        background: var(--danger-soft);
      }
    `,
  ];

  /** ISO 8601. */
  @property() expiresAt = '';
  /** What is asked. */
  @property() question = '';
  /** The server's time in milliseconds. */
  @property({ attribute: false }) now: () => number = Date.now;

  @state() private leftMs = Number.POSITIVE_INFINITY;
  @state() private announced = '';
  #announcedAtMs = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.#tick(), 250);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('expiresAt')) {
      this.leftMs = Number.POSITIVE_INFINITY;
      this.announced = '';
      this.#tick();
    }
  }

  override render() {
    if (!this.expiresAt) return nothing;
    const phase = this.leftMs <= 10_000 ? 'red' : this.leftMs <= 60_000 ? 'amber' : 'neutral';
    return html`<span class="time ${phase}" role="timer" aria-live="off" data-phase=${phase}>
        ${clockIcon}<span>${describe(this.leftMs)}</span>
      </span>
      <span class="visually-hidden" aria-live="polite">${this.announced}</span>`;
  }

  #tick(): void {
    const left = Math.max(0, Date.parse(this.expiresAt) - this.now());
    const crossed = announcedAt.some((limit) => left <= limit && this.leftMs > limit && left > 0);
    if (crossed) {
      const seconds = Math.ceil(left / 1000);
      this.announced = `${seconds === 60 ? '1 minute' : `${seconds} seconds`} left: ${this.question}`;
      this.#announcedAtMs = left;
    } else if (this.#announcedAtMs - left > readableMs) this.announced = '';
    if (crossed || describe(left) !== describe(this.leftMs)) this.leftMs = left;
  }
}

function describe(leftMs: number): string {
  const seconds = leftMs < 60_000 ? Math.ceil(leftMs / 1000) : Math.round(leftMs / 1000); // 5:00, even a moment too early
  if (seconds <= 0) return 'time is up';
  if (seconds < 60) return `${seconds} s left`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, '0')} left`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min left`;
  return `${Math.round(hours / 24)} days left`;
}
