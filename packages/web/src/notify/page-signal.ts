import { hasPush } from './push-state.ts';

const drawing = (count: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#8f4600"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#fff">${count > 9 ? '9+' : count}</text></svg>`;

/** Returns undefined if only a service worker may show notifications, as on Android. */
function show(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    return undefined;
  }
}

/** Shows the number of open prompts in the title and icon of a hidden tab (WEB6). */
export class PageSignal {
  #count = 0;
  #title = 'Parley';
  #plainIcon = '';

  readonly #show = () => this.#draw();
  readonly #onClick: () => void;

  /** @param onClick - shows a prompt when somebody follows a notification */
  constructor(onClick: () => void) {
    this.#onClick = onClick;
  }

  start(): void {
    this.#plainIcon = this.#icon?.getAttribute('href') ?? '';
    document.addEventListener('visibilitychange', this.#show);
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#show);
  }

  set(title: string, count: number): void {
    const isMore = count > this.#count;
    const isOther = count !== this.#count;
    this.#title = title;
    this.#count = count;
    this.#draw();
    if (isOther) this.#badge();
    if (isMore && document.hidden) this.#notify();
  }

  get #icon(): HTMLLinkElement | null {
    return document.querySelector('#favicon');
  }

  #draw(): void {
    const isShown = document.hidden && this.#count > 0;
    document.title = isShown ? `(${this.#count}) ${this.#title}` : this.#title;
    const href = isShown ? `data:image/svg+xml,${encodeURIComponent(drawing(this.#count))}` : this.#plainIcon;
    if (this.#icon && this.#icon.getAttribute('href') !== href) this.#icon.href = href;
  }

  /** Shows the number on the icon of the installed page. */
  #badge(): void {
    if (!('setAppBadge' in navigator)) return;
    const done = this.#count > 0 ? navigator.setAppBadge(this.#count) : navigator.clearAppBadge();
    done.catch(() => undefined); // not installed
  }

  /** Needs permission, and shows no text of the prompt, because notifications appear on locked screens. */
  #notify(): void {
    if (!('Notification' in globalThis) || Notification.permission !== 'granted' || hasPush()) return;
    const words =
      this.#count === 1 ? 'One prompt is waiting for an answer.' : `${this.#count} prompts are waiting for an answer.`;
    const notification = show('Parley needs you', { body: words, tag: 'parley' });
    if (!notification) return;
    notification.onclick = () => {
      window.focus();
      notification.close();
      this.#onClick();
    };
  }
}
