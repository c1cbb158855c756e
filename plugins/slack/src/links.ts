import type { ChatAccount, ChatReply, ListenHost } from '@parleyhq/core';

/**
 * Links of accounts. Slack may deliver an event again after later ones: what ended a link does not end one that was made since. What
 * came later is known by the times that Slack gave the events, in seconds.
 */
export class Links {
  readonly #host: ListenHost;

  constructor(host: ListenHost) {
    this.#host = host;
  }

  async link(code: string, account: ChatAccount, at: string): Promise<ChatReply> {
    const reply = await this.#host.link(code, account);
    if (reply.isDone) await this.#host.state.set(keyOf(account), at);
    return reply;
  }

  /** Ends a link. @param at - unknown if undefined @returns undefined if the account was linked later */
  async unlink(account: ChatAccount, at: string | undefined): Promise<ChatReply | undefined> {
    const linked = await this.#host.state.get(keyOf(account));
    if (Number(at) < Number(linked)) return undefined;
    const reply = await this.#host.unlink(account);
    await this.#host.state.delete(keyOf(account));
    return reply;
  }
}

const keyOf = ({ id }: ChatAccount): string => `linked:${id}`;
