import type { Instant } from '../basics/id.ts';
import type { ChatAccount } from '../plugin/card.ts';
import type { Authority, Credential } from '../prompt/token.ts';

/** What a code gives to the chat account that sends it (CHAT2), or to the browser that is opened with it. */
export interface LinkCode {
  /** Whoever made the code, and the token or login that the link ends with. */
  readonly principal: string;
  readonly credential: Credential;
  readonly expiresAt: string;
}

/** An account of a chat that acts for a principal (CHAT2). */
export interface ChatLink {
  readonly id: string;
  readonly createdAt: string;
  /** Name under which the notifier is configured. */
  readonly notifier: string;
  readonly account: ChatAccount;
  readonly principal: string;
  readonly credential: Credential;
  /** Hash of the code that made it, so that a code that is delivered again makes no other. */
  readonly codeHash: string;
}

/**
 * Links of chat accounts, and the codes that make them, by hash. Both are deleted with their token or login. Other processes may add
 * and remove some at any time.
 */
export interface LinkStore {
  /** Stores a code, and deletes expired ones. @throws StoreError `unauthorised` (SEC9) */
  addCode(hash: string, code: LinkCode, authority: Authority): Promise<void>;
  /** Returns a code that has not expired. */
  findCode(hash: string, now: Instant): Promise<LinkCode | undefined>;
  /** Deletes a code. Returns whether it existed: of several that use it at the same time, one gets `true`. */
  dropCode(hash: string): Promise<boolean>;
  /**
   * Uses a code, once: stores the link that it makes, in place of any other link of this account.
   * @returns undefined if there is no such code, or it has expired, or its token or login has ended
   */
  redeem(link: Omit<ChatLink, 'principal' | 'credential'>, now: Instant): Promise<ChatLink | undefined>;
  find(notifier: string, accountId: string): Promise<ChatLink | undefined>;
  /** Returns all links, oldest first. */
  list(): Promise<readonly ChatLink[]>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
}
