import { outsideAgent, RefusalError, type SessionId, type Store, toStorable } from '@parleyhq/core';
import type { SessionHub } from '@parleyhq/runtime';
import type { QuotaService } from '../../auth/quota-service.ts';
import type { CallingClient, CallRequest } from './call-request.ts';
import { CreateOnce } from './create-once.ts';

interface ChannelOptions {
  readonly hub: SessionHub;
  readonly store: Pick<Store, 'outside'>;
  readonly quotas: QuotaService;
}

/** The sessions of programs, each under the name that its program chose for it (ASK1). */
export class CallerChannels {
  readonly #options: ChannelOptions;
  readonly #once = new CreateOnce();

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Returns the session of a channel, created at its first use. @throws RefusalError `invalid`, `forbidden`, `rate_limited` */
  async open(client: CallingClient, { channel: name, from, title = from?.name }: CallRequest): Promise<SessionId> {
    const { hub, quotas, store } = this.#options;
    const { principal, credential, auditActor: by } = client;
    if (name === undefined) throw new RefusalError('invalid', { message: 'Name a channel or a session.' });
    // it could not see the new session
    if (principal.role === 'operator' && principal.sessions) throw new RefusalError('forbidden');
    const channel = { principal: principal.id, name };
    const create = async () => {
      quotas.spend(principal, ['sessionsPerHour', 1]);
      const maker = quotas.makerOf(principal);
      const named = toStorable(title ?? principal.name ?? name);
      const creating = hub.create({ title: named, agent: outsideAgent, channel, by, credential, maker });
      return (await quotas.explain(principal, creating)).id;
    };
    const key = JSON.stringify([channel.principal, name]);
    return this.#once.run(key, () => store.outside.findChannel(channel), create);
  }
}
