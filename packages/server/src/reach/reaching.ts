import type { Actor, Credential, DeliveryStore, Instant, News, Principal, Store, Witness } from '@parleyhq/core';
import { RefusalError } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Auth } from '../auth/auth.ts';
import { newId } from '../node/new-id.ts';
import type { Inbox } from '../tabs/inbox.ts';
import { Attention } from './attention.ts';
import { type Button, type ButtonAction, ButtonTokens } from './button-token.ts';
import { Devices } from './devices.ts';
import { Ledger } from './ledger.ts';
import { hashOf } from './news.ts';
import type { PushKeys } from './push-keys.ts';
import { Reach, type ReachOptions } from './reach.ts';
import { type Target, TellError } from './target.ts';
import { makeSendPush } from './web-push.ts';

/** What people are reached by; see docs/notifications.md. */
export interface ReachSettings {
  readonly keys: PushKeys;
  /** How push services reach whoever runs this server: a `mailto:` or `https:` address. */
  readonly contact?: string | undefined;
  /** Where the page is, as people reach it. */
  readonly publicUrl?: string | undefined;
  /** For receivers within one's own network. */
  readonly allowsPrivate?: boolean | undefined;
}

export interface ReachingOptions {
  readonly settings: ReachSettings;
  readonly store: Pick<Store, 'epoch' | 'devices' | 'deliveries'>;
  readonly auth: Pick<Auth, 'findPrincipal'>;
  readonly inbox: Pick<Inbox, 'waitingFor' | 'isOpen'>;
  readonly notifyAfterMs: number;
  readonly now: () => Instant;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  readonly told: ReachOptions['told'];
  readonly log: Logger;
}

/** Somebody who pressed a button of a notification. */
interface Presser {
  readonly principal: Principal;
  readonly credential: Credential;
  readonly actor: Actor;
  readonly witness: Witness;
}

const defaultContact = 'mailto:parley@example.org';

/** All that has to do with people who are not looking at the page (NTF). */
export class Reaching {
  readonly attention: Attention;
  readonly devices: Devices;
  readonly reach: Reach;
  readonly publicKey: string;
  readonly #tokens: ButtonTokens;
  readonly #deliveries: DeliveryStore;
  readonly #publicUrl: string | undefined;
  #address = 'http://localhost';

  constructor({ settings, store, auth, inbox, notifyAfterMs, now, stopping, told, log }: ReachingOptions) {
    const { keys, contact = defaultContact, publicUrl, allowsPrivate = false } = settings;
    const wake = () => this.reach.wake();
    this.#publicUrl = publicUrl;
    this.publicKey = keys.publicKey;
    this.#deliveries = store.deliveries;
    this.#tokens = new ButtonTokens(keys.buttonKey, store.epoch);
    this.attention = new Attention({ now, onLeft: wake });
    this.devices = new Devices({
      store: store.devices,
      send: makeSendPush(keys, { contact, allowsPrivate, stopping }),
      tokens: this.#tokens,
      findPrincipal: (credential) => auth.findPrincipal(credential),
      onAdded: wake,
      now,
      log,
    });
    this.reach = new Reach({
      inbox,
      attention: this.attention,
      ledger: new Ledger(store.deliveries),
      targets: () => this.devices.targets,
      epoch: store.epoch,
      now,
      notifyAfterMs,
      baseUrl: () => this.baseUrl(),
      told,
      log,
    });
  }

  /** Where links lead: what was configured, or where the server listens. */
  baseUrl(): string {
    return this.#publicUrl ?? this.#address;
  }

  /** Once every open prompt is known. */
  async start(): Promise<void> {
    await this.devices.load();
    await this.reach.start();
  }

  listensAt(address: string): void {
    this.#address = address;
  }

  stop(): void {
    this.reach.stop();
  }

  /** @throws RefusalError `retry_later` that says why it did not arrive */
  async test(target: Target, news: News): Promise<void> {
    await target.tell(news, undefined).catch((error: unknown) => {
      if (!(error instanceof TellError)) throw error;
      throw new RefusalError('retry_later', { message: error.message, cause: error });
    });
  }

  /** What people were told, without whom a message was for by address. */
  async deliveries(principal: string | undefined, limit: number): Promise<readonly object[]> {
    const deliveries = await this.#deliveries.list({ principal, limit });
    return deliveries.map(({ news: _, epoch: __, ...shown }) => shown);
  }

  /**
   * Who pressed a button, and what that answers. The same press again has the same `answerId`, and gets the stored reply (NTF2).
   * @throws RefusalError `forbidden` for what no button of this epoch says; `unauthorised` where its device was forgotten
   */
  async press(
    token: string,
    action: ButtonAction,
  ): Promise<{ button: Button & { answerId: string }; client: Presser }> {
    const button = this.#tokens.read(token);
    if (button?.action !== action) throw new RefusalError('forbidden');
    const target = this.devices.find(button.device);
    if (!target) throw new RefusalError('unauthorised');
    const { device, principal } = target;
    const id = newId();
    const actor: Actor = {
      clientId: id,
      connectionId: id,
      principal: principal.id,
      ...(principal.name !== undefined && { name: principal.name }),
      ...(principal.owner !== undefined && { owner: principal.owner }),
      label: device.name,
      transport: 'push',
      role: principal.role,
    };
    const client = { principal, credential: device.credential, actor, witness: { ...actor, address: '' } };
    return { button: { ...button, answerId: `push-${hashOf(token)}` }, client };
  }
}
