import type { WireErrorCode } from '../basics/error.ts';
import type { Field, FormValues } from '../form/field.ts';
import type { Action, InteractionType, Subject } from '../prompt/interaction.ts';

/** An account of a chat service. */
export interface ChatAccount {
  /** Unchangeable id that the service gives it, not a name that its holder may choose. */
  readonly id: string;
  /** Current name of the account, shown to its owner in the list of links. */
  readonly name?: string | undefined;
}

/** An answer that a card offers. */
export interface CardAction {
  readonly action: Action;
  /** Text of its button, such as `Allow once`, or the label of an option. */
  readonly label: string;
  /**
   * Lets one account give this answer to this prompt, once. It has at most 48 letters, digits, `.`, `-` and `_`, so that it fits
   * into the data of a button together with the action.
   */
  readonly ticket: string;
  /** Whether the answer may have a reason, or must have one. Absent if it takes none. */
  readonly reason?: 'optional' | 'required';
  /** Set if the answer needs values for the fields of the card's `form`. */
  readonly needsValues?: true;
}

/**
 * What a message shows of a prompt, and which answers it offers (CHAT3). The server composes it for one account; a notifier only
 * draws it. All texts are untrusted: they must be shown as plain text, `subject` in a fixed-width font if `isCode` is set.
 */
export interface Card {
  /** Only an `open` card has actions. */
  readonly state: 'open' | 'snoozed' | 'settled';
  readonly kind: InteractionType;
  /** Title of the session. */
  readonly session: string;
  /** Name of the tool that asks; absent if only some people may know. */
  readonly tool?: string;
  /** Title of the prompt, or a sentence that names the tool if it has none. */
  readonly title?: string;
  readonly prompt?: string;
  /** The whole subject; absent if it is too long for a message. Nothing may be cut off it: a message that has no room for it must offer no actions. */
  readonly subject?: Pick<Subject, 'kind' | 'text'> & { readonly isCode: boolean };
  readonly risk?: 'low' | 'medium' | 'high';
  /** ISO 8601 time until which it can be answered. */
  readonly expiresAt?: string;
  /** A sentence about it: why it must be opened in the page, or that its tool did not wait. */
  readonly note?: string;
  /** Number of comments on it, and the beginning of the last, with the name of whoever wrote it. */
  readonly comments?: { readonly count: number; readonly by: string; readonly text: string };
  /** What became of it, such as `Denied by ann, in Parley`, or until when it is postponed. */
  readonly outcome?: string;
  readonly actions: readonly CardAction[];
  /** Fields of the answer that needs values: at most five, without files and secrets. */
  readonly form?: { readonly fields: readonly Field[]; readonly initialValues?: FormValues };
  /** Identifies the card in `host.card`, `host.comment` and `host.snooze`. It has at most 48 characters. */
  readonly ticket: string;
  /** Opens the prompt in the page, after a log-in. */
  readonly url: string;
}

/** An answer that somebody gave in a chat. */
export interface ChatAnswer {
  readonly ticket: string;
  /** The action of the button: it must be that of the ticket. */
  readonly action: string;
  readonly values?: FormValues | undefined;
  readonly reason?: string | undefined;
}

/** Result of what an account wanted: done, or refused for good. What may succeed later is thrown instead. */
export interface ChatReply {
  readonly isDone: boolean;
  /** A sentence for the account's holder. */
  readonly text: string;
  readonly code?: WireErrorCode;
  /** Sentences about the values, by the id of the field. The prompt is still open. */
  readonly fieldErrors?: Readonly<Record<string, string>>;
  /** The card as it is afterwards; absent if this account may not see it. */
  readonly card?: Card;
}
