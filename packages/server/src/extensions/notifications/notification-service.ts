import {
  type Delivery,
  type DeliveryStore,
  type Instant,
  type Notification,
  type NotifierRequest,
  type Plugin,
  type PluginLog,
  RefusalError,
  type Store,
} from '@parleyhq/core';
import { type Durations, newId, type Policy } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { Auth } from '../../auth/auth.ts';
import type { Ticket, Tickets } from '../../auth/ticket.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { Attention } from './attention.ts';
import type { ButtonAction } from './buttons.ts';
import { makeChatState } from './chat-state.ts';
import { type Chat, Chats } from './chats.ts';
import { DeliveryLog } from './delivery-log.ts';
import { Devices } from './devices.ts';
import { describeHolder, type LinkHolder } from './link-holder.ts';
import { type ChatDesk, Listeners } from './listeners.ts';
import { makeTestNotification } from './make-notification.ts';
import { NotificationScheduler, type NotificationSchedulerOptions } from './notification-scheduler.ts';
import { type NotifierSettings, Notifiers } from './notifiers.ts';
import { sendOutside } from './outbound.ts';
import type { PushKeys } from './push-keys.ts';
import { readSettled } from './settlement.ts';
import { NotificationError, type Target } from './target.ts';
import { requireWays } from './ways.ts';
import { makeSendPush } from './web-push.ts';

/** Settings of notifications; see docs/notifications.md. */
export interface NotificationSettings {
  readonly keys: PushKeys;
  /** Contact of the operator for push services: a `mailto:` or `https:` address. */
  readonly contact?: string | undefined;
  /** URL of the page, as people open it. */
  readonly publicUrl?: string | undefined;
  /** Whether receivers in private networks are allowed. */
  readonly allowsPrivate?: boolean | undefined;
  /** Notifiers of plugins and their recipients (NTF3). */
  readonly notifiers?: readonly NotifierSettings[] | undefined;
}

export interface NotificationServiceOptions {
  readonly settings: NotificationSettings;
  readonly store: Pick<Store, 'epoch' | 'devices' | 'deliveries' | 'links' | 'index' | 'pluginState'>;
  readonly auth: Pick<Auth, 'findPrincipal' | 'findPeople' | 'findHolder' | 'admitAbsent'>;
  /** Returns what a chat may ask for on behalf of its accounts. */
  readonly deskOf: (chat: Chat) => ChatDesk;
  readonly tickets: Tickets;
  readonly plugins: readonly Plugin[];
  readonly logOf: (plugin: string) => PluginLog;
  readonly keepSecret: (value: string) => void;
  /** Whether a value contains a secret, which must not be stored. */
  readonly hasSecret: (value: unknown) => boolean;
  readonly inbox: Pick<Inbox, 'waitingFor' | 'isOpen' | 'places' | 'readRequest'>;
  readonly durations: Pick<Durations, 'notifyAfterMs' | 'tellMs'>;
  readonly now: () => Instant;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  /** Whether this node is still the one that notifies. */
  readonly mayNotify: () => boolean;
  readonly onAttempt: NotificationSchedulerOptions['onAttempt'];
  readonly log: Logger;
}

/** Result of a test notification to one person. */
export interface TestResult extends Pick<Delivery, 'target' | 'principal' | 'code' | 'fault'> {
  readonly name?: string;
  readonly isTold: boolean;
}

const defaultContact = 'mailto:parley@example.org';

/** Results of a test, and the configured recipients who have no token now. */
export interface NotifierTest {
  readonly results: readonly TestResult[];
  readonly absent: readonly string[];
}

/** Notifications to people who are not looking at the page (NTF). */
export class NotificationService {
  readonly attention: Attention;
  readonly devices: Devices;
  readonly notifiers: Notifiers;
  readonly chats: Chats;
  readonly scheduler: NotificationScheduler;
  readonly #listeners: Listeners;
  readonly publicKey: string;
  readonly #tickets: Tickets;
  readonly #auth: Pick<Auth, 'admitAbsent'>;
  readonly #deliveries: DeliveryStore;
  /** The configured base of links, if there is one. */
  readonly publicUrl: string | undefined;
  readonly #log: Logger;
  #address = 'http://localhost';
  #locate: () => void = () => {};
  readonly #located = new Promise<void>((resolve) => {
    this.#locate = resolve;
  });
  #isReady = false;
  #isTelling = true;
  #isStopped = false;

  constructor(options: NotificationServiceOptions) {
    const { settings, store, auth, tickets, inbox, now, stopping, mayNotify, onAttempt, log } = options;
    const { keys, contact = defaultContact, publicUrl, allowsPrivate = false } = settings;
    const { notifyAfterMs, tellMs: limitMs } = options.durations;
    const outside = { allowsPrivate, limitMs, stopping };
    const wake = () => this.scheduler.wake();
    this.#log = log;
    this.publicUrl = publicUrl;
    this.publicKey = keys.publicKey;
    this.#deliveries = store.deliveries;
    this.#tickets = tickets;
    this.#auth = auth;
    this.attention = new Attention({ now, onLeft: wake });
    this.devices = new Devices({
      store: store.devices,
      send: makeSendPush(keys, { contact, ...outside }),
      tickets,
      findPrincipal: (credential) => auth.findPrincipal(credential),
      onAdded: wake,
      now,
      log,
    });
    const send = (url: string, request: Required<NotifierRequest>) => sendOutside(url, request, outside);
    const stateOf = ({ plugin, way }: Pick<Chat, 'plugin' | 'way'>) =>
      makeChatState({ store: store.pluginState, owner: `${plugin}/${way}`, hasSecret: options.hasSecret });
    this.chats = new Chats({
      ...{ store: store.links, tickets, limitMs, stopping, send, stateOf, log },
      findHolder: (link) => auth.findHolder(link),
      onChanged: wake,
    });
    this.#listeners = new Listeners({
      ...{ chats: this.chats, deskOf: options.deskOf, stateOf, log },
    });
    this.notifiers = new Notifiers({
      plugins: options.plugins,
      settings: settings.notifiers ?? [],
      logOf: options.logOf,
      findPeople: (words) => auth.findPeople(words),
      tickets,
      keepSecret: options.keepSecret,
      send,
      chats: this.chats,
      limitMs,
      stopping,
      onAdded: wake,
      log,
    });
    this.scheduler = new NotificationScheduler({
      inbox,
      attention: this.attention,
      ledger: new DeliveryLog(store.deliveries),
      targets: () => [...this.devices.targets, ...this.notifiers.targets, ...this.chats.targets],
      findFormer: (target) => this.chats.findFormer(target),
      readSettled: (place) => readSettled(store.index, place),
      ways: () => this.notifiers.names,
      epoch: store.epoch,
      now,
      notifyAfterMs,
      baseUrl: () => this.baseUrl(),
      mayNotify,
      onAttempt,
      log,
    });
  }

  /** Returns the base of links: the configured URL, or the address that the server listens at. */
  baseUrl(): string {
    return this.publicUrl ?? this.#address;
  }

  /**
   * Reads the notifiers' configuration; to be called before anybody is notified. @throws SettingsError that names what is invalid
   */
  async open(policies: readonly Policy[]): Promise<void> {
    await this.notifiers.open();
    await this.chats.open();
    requireWays(policies, this.notifiers.names);
  }

  /** Starts to notify; to be called once every open prompt is known. */
  async start(): Promise<void> {
    await this.devices.load();
    this.#isReady = true;
    if (!this.#mayStart()) return;
    await this.scheduler.start();
    if (this.#mayStart()) this.#listeners.start();
    else this.scheduler.stop(); // another node took over meanwhile, or the server stops
  }

  #mayStart(): boolean {
    return this.#isTelling && !this.#isStopped;
  }

  /** Reloads the devices, which were changed in the store. */
  async reloadDevices(): Promise<void> {
    await this.devices.load();
    this.scheduler.wake();
  }

  /** Sets whether this process is the one that notifies; until then it only knows who could be notified. */
  takeTurns(isTelling: boolean): void {
    if (isTelling === this.#isTelling) return;
    this.#isTelling = isTelling;
    if (!isTelling) this.#leaveTurn();
    else if (this.#isReady)
      this.start().catch((error: unknown) => this.#log.error({ error }, 'notifications could not be started'));
  }

  /** Like `baseUrl`, but waits until it is known, because work resumed at the start runs before that. */
  async findBaseUrl(): Promise<string> {
    if (this.publicUrl === undefined) await this.#located;
    return this.baseUrl();
  }

  listensAt(address: string): void {
    this.#address = address;
    this.#locate();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.scheduler.stop();
    this.notifiers.stop();
    await this.#listeners.stop();
    this.chats.stop();
  }

  #leaveTurn(): void {
    this.scheduler.stop();
    this.#listeners.stop().catch((error: unknown) => this.#log.error({ error }, 'a chat could not be left'));
  }

  /** Sends a test notification. @throws RefusalError `retry_later` that explains why it did not arrive */
  async test(target: Target, news: Notification): Promise<void> {
    await target.notify(news, undefined).catch((error: unknown) => {
      if (!(error instanceof NotificationError)) throw error;
      throw new RefusalError('retry_later', { message: error.message, cause: error });
    });
  }

  /**
   * Sends a test notification to the recipients of a notifier, or to one of them by id or name (NTF4).
   * @throws RefusalError `not_found` if there is no such notifier or recipient
   */
  async testNotifier(name: string, to?: string): Promise<NotifierTest> {
    const { names } = this.notifiers;
    const targets = [...this.notifiers.targets, ...this.chats.targets];
    if (!names.includes(name)) {
      const known = names.length > 0 ? `There are: ${names.join(', ')}.` : 'None is configured.';
      throw new RefusalError('not_found', { message: `No notifier is called "${name}". ${known}` });
    }
    const isMeant = ({ way, principal }: Target) =>
      way === name && (to === undefined || principal.id === to || principal.name === to);
    const meant = targets.filter(isMeant);
    if (meant.length === 0) throw new RefusalError('not_found', { message: this.#explainNobody(name, to) });
    const results = await Promise.all(meant.map((target) => this.#testOne(target)));
    return { results, absent: to === undefined ? this.notifiers.absentOf(name) : [] };
  }

  #explainNobody(name: string, to: string | undefined): string {
    const whom = to === undefined ? 'who has a token now' : `called "${to}"`;
    const nobody = `Notifier "${name}" has no recipient ${whom}.`;
    const isChat = this.chats.all.some(({ way }) => way === name);
    return isChat
      ? `${nobody} People link their accounts under Devices in the page, or with parley token link <name>.`
      : nobody;
  }

  async #testOne(target: Target): Promise<TestResult> {
    const { principal, id } = target;
    const to = { target: id, principal: principal.id, ...(principal.name !== undefined && { name: principal.name }) };
    try {
      await target.notify(makeTestNotification(principal, { id: newId(), baseUrl: this.baseUrl() }), undefined);
      return { ...to, isTold: true };
    } catch (error) {
      if (!(error instanceof NotificationError)) throw error;
      return { ...to, isTold: false, code: error.code, fault: error.message };
    }
  }

  /** Lists the notifications that were sent to people, without their content. */
  async deliveries(principal: string | undefined, limit: number): Promise<readonly object[]> {
    const deliveries = await this.#deliveries.list({ principal, limit });
    return deliveries.map(({ news: _, epoch: __, message: ___, isSnoozed: ____, ...shown }) => shown);
  }

  /**
   * Verifies a pressed button: returns its answer, and the person who pressed it.
   * @throws RefusalError `forbidden` if it is not a button of this epoch; `unauthorised` if its device was removed
   */
  async press(token: string, action: ButtonAction): Promise<{ button: Ticket<'button'>; client: LinkHolder }> {
    const button = this.#tickets.read('button', token);
    if (button?.action !== action) throw new RefusalError('forbidden');
    if (!this.devices.find(button.device)) await this.devices.load(); // another node may just have added it
    const target = this.devices.find(button.device);
    if (!target) throw new RefusalError('unauthorised');
    const { device, principal, credential } = target;
    const client = describeHolder({ principal, credential }, { label: device.name, transport: 'push' });
    return { button, client };
  }

  /**
   * Verifies a one-time key: returns its prompt, and its holder (NTF3).
   * @throws RefusalError `unauthorised` if it is not a key of this epoch, or its notifier or token no longer exists, or the
   * person logs in at a provider and is not logged in, or was revoked since
   */
  async openKey(key: string): Promise<{ card: Ticket<'card'>; client: LinkHolder }> {
    const card = this.#tickets.read('card', key);
    const refusal = new RefusalError('unauthorised', { message: 'This link is not valid any more.' });
    if (!card) throw refusal;
    const target = this.notifiers.find(card.target);
    const admission = await this.#auth.admitAbsent(card.principal, card.since);
    if (!target?.hasOneTimeLinks || !admission) throw refusal;
    const client = describeHolder(admission, { label: 'one-time link', transport: target.way });
    return { card, client };
  }
}
