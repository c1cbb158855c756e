import {
  type Card,
  type ChatAccount,
  type ChatReply,
  type Field,
  isEmptyValue,
  type Json,
  type ListenHost,
  labelOf,
  type PluginState,
  readTypedValue,
} from '@parleyhq/core';
import { drawChoices, drawQuestion, readChoice, type Step } from './question.ts';
import type { Screen, Where } from './screen.ts';

/**
 * What the bot is asking somebody in words: a reason, a comment, or the fields of a form, one after the other. What it is about is
 * read from the card each time, because the account may not be asked any more.
 */
interface Dialog {
  readonly kind: 'reason' | 'comment' | 'form';
  readonly ticket: string;
  readonly action: string;
  /** The message of the card. */
  readonly where: Where;
  /** The message that asks; none before it is sent. */
  readonly question?: { readonly id: number; readonly hasButtons: boolean } | undefined;
  /** Ids of the fields that are still to be asked for. */
  readonly todo: readonly string[];
  readonly values: Readonly<Record<string, Json>>;
  /** The update that changed it last: delivered again, it must not change it twice. */
  readonly lastUpdate: number;
  readonly isDone: boolean;
}

/** A dialog about a prompt that is open. */
interface Asking extends Dialog {
  readonly fields: readonly Field[];
  readonly initial: Readonly<Record<string, Json>>;
}

interface Arrival {
  readonly account: ChatAccount;
  readonly updateId: number;
}

/** The id of an account is that of its private chat. */
const keyOf = ({ id }: { readonly id: string | number }): string => `dialog:${id}`;

const over = 'This question is over.';
const askedAgain = 'You are asked again below.';

/** What ends a dialog. */
export interface DialogEnd {
  readonly state: PluginState;
  readonly replace: (question: Where, text: string) => Promise<unknown>;
  /** Whether another message asks in place of the card's. */
  readonly isAskedAgain?: boolean;
}

/**
 * Ends what the bot asks below the message of a card, because its prompt is settled, its account is not asked any more, or another
 * message takes its place: what was said so far is forgotten, and the question loses its buttons. Whoever goes on writing about a
 * settled prompt learns that it is over.
 * @throws what `replace` throws: it can be tried again
 */
export async function endDialog(
  { chat, message }: Where,
  { state, replace, isAskedAgain = false }: DialogEnd,
): Promise<void> {
  const key = keyOf({ id: chat });
  const dialog = (await state.get(key)) as Dialog | undefined;
  if (!dialog || dialog.isDone || dialog.where.message !== message) return;
  if (!isAskedAgain) await state.set(key, toJson({ ...dialog, todo: [], values: {} }));
  if (dialog.question) await replace({ chat, message: dialog.question.id }, isAskedAgain ? askedAgain : over);
  if (isAskedAgain) await state.delete(key);
}

/** Asks people in words. What they said so far is kept, so that a restart loses nothing. */
export class Dialogs {
  readonly #host: ListenHost;
  readonly #screen: Screen;

  constructor(host: ListenHost, screen: Screen) {
    this.#host = host;
    this.#screen = screen;
  }

  /** Begins to ask; what was asked before is dropped. */
  async begin(
    kind: Dialog['kind'],
    { ticket, action, card }: { readonly ticket: string; readonly action: string; readonly card: Card },
    { account, updateId, where }: Arrival & { readonly where: Where },
  ): Promise<void> {
    const before = await this.#find(account);
    if (before) await this.#closeQuestion(before);
    const todo = formOf(kind, card).fields.map(({ id }) => id);
    const dialog = { kind, ticket, action, where, todo, values: {}, lastUpdate: updateId, isDone: false };
    await this.#ask(toAsking(dialog, card), account);
  }

  /** Takes a message. @param replyTo - the message to which it is a reply. @returns false if nothing was asked */
  async read(
    text: string,
    {
      account,
      updateId,
      messageId,
      replyTo,
    }: Arrival & { readonly messageId: number; readonly replyTo: number | undefined },
  ): Promise<boolean> {
    const dialog = await this.#find(account);
    if (!dialog || (dialog.isDone && updateId !== dialog.lastUpdate)) return false;
    if (updateId < dialog.lastUpdate || dialog.isDone) return true; // delivered again
    const { kind, ticket, action, question, where } = dialog;
    if (replyTo !== undefined && question && replyTo !== question.id && replyTo !== where.message) {
      await this.#screen.say(where.chat, 'I asked something else last: reply to that, or write /cancel.');
      return true;
    }
    const asking = await this.#resume(dialog, account);
    if (!asking) return true;
    const host = this.#host;
    const arrival = { account, updateId };
    if (updateId === dialog.lastUpdate) await this.#ask(asking, account);
    else if (text.trim() === '') await this.#ask(asking, account, 'Please write a text.');
    else if (kind === 'reason')
      await this.#end(asking, await host.answer({ ticket, action, reason: text }, account), arrival);
    else if (kind === 'comment')
      await this.#end(asking, await host.comment({ ticket, text, id: String(messageId) }, account), arrival);
    else {
      const field = currentOf(asking);
      const value = field && readTypedValue(field, text);
      if (value === undefined) await this.#ask(asking, account, 'I do not understand this.');
      else await this.#fill(asking, value, arrival);
    }
    return true;
  }

  /** Takes the press of a button below a question. Returns false if it is another kind of button. */
  async press(data: string, arrival: Arrival & { readonly where?: Where | undefined }): Promise<boolean> {
    const pressed = readChoice(data);
    if (!pressed) return false;
    const { account, updateId } = arrival;
    const dialog = await this.#find(account);
    if (!dialog || dialog.isDone || updateId < dialog.lastUpdate) return true; // an old question
    const asking = await this.#resume(dialog, account);
    const field = asking && currentOf(asking);
    if (!field || stepOf(asking).key !== pressed.key) return true;
    if (updateId === dialog.lastUpdate) {
      await this.#ask(asking, account);
      return true;
    }
    const { choice } = pressed;
    const option = field.options?.[Number(choice)]?.value;
    if (choice === 'skip') await this.#fill(asking, asking.initial[field.id] ?? field.defaultValue, arrival);
    else if (choice === 'yes' || choice === 'no') await this.#fill(asking, choice === 'yes', arrival);
    else if (choice === 'done') await this.#fill(asking, asking.values[field.id], arrival);
    else if (option === undefined) return true;
    else if (field.type === 'multiselect') await this.#toggle(asking, { field, option }, arrival);
    else await this.#fill(asking, option, arrival);
    return true;
  }

  /** Stops asking. */
  async cancel(account: ChatAccount): Promise<ChatReply> {
    const dialog = await this.#find(account);
    await this.#host.state.delete(keyOf(account));
    if (dialog) await this.#closeQuestion(dialog);
    const isDone = dialog !== undefined && !dialog.isDone;
    return { isDone, text: isDone ? 'Nothing was sent. The question is still open.' : 'There is nothing to cancel.' };
  }

  /** Adds an option to those that were chosen, or takes it back. */
  async #toggle(
    dialog: Asking,
    { field, option }: { readonly field: Field; readonly option: string },
    { account, updateId, where }: Arrival & { readonly where?: Where | undefined },
  ): Promise<void> {
    const chosen = chosenOf(dialog, field);
    const next = chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option];
    const changed = { ...dialog, values: { ...dialog.values, [field.id]: next }, lastUpdate: updateId };
    if (!(await this.#keep(account, changed))) return;
    if (where) await this.#screen.replaceButtons(where, drawChoices(stepOf(changed), field));
    await this.#endIfOver(changed, account);
  }

  /** Takes the value of the current field; after the last one, the form is sent. */
  async #fill(dialog: Asking, value: Json | undefined, arrival: Arrival): Promise<void> {
    const { ticket, action } = dialog;
    const [id = '', ...todo] = dialog.todo;
    const { [id]: _, ...others } = dialog.values;
    const values = value === undefined || isEmptyValue(value) ? others : { ...others, [id]: value };
    const next = { ...dialog, todo, values, lastUpdate: arrival.updateId };
    if (todo.length > 0) await this.#ask(next, arrival.account);
    else await this.#end(next, await this.#host.answer({ ticket, action, values }, arrival.account), arrival);
  }

  /**
   * Reports a reply. Fields that do not fit are asked for again. What the server takes only later changes nothing: the last message can
   * be sent again.
   */
  async #end(dialog: Asking, reply: ChatReply, { account, updateId }: Arrival): Promise<void> {
    const { where, fields, kind } = dialog;
    if (reply.code === 'rate_limited') {
      await this.#screen.say(where.chat, reply.text);
      return;
    }
    const wrong = fields.filter(({ id }) => reply.fieldErrors?.[id] !== undefined);
    const [first] = wrong;
    if (first) {
      const again = { ...dialog, todo: wrong.map(({ id }) => id), lastUpdate: updateId };
      await this.#ask(again, account, reply.fieldErrors?.[first.id]);
      return;
    }
    const isAskedAgain = reply.code === 'invalid' && kind !== 'form';
    const kept = { ...dialog, values: {}, lastUpdate: updateId, isDone: !isAskedAgain };
    if (!(await this.#keep(account, kept))) return;
    if (!isAskedAgain) await this.#closeQuestion(dialog);
    const faults = Object.values(reply.fieldErrors ?? {});
    await this.#screen.say(where.chat, [reply.text, ...faults].join(' '));
    if (reply.card) await this.#screen.show(where, reply.card);
  }

  /** Keeps the dialog, and asks what comes next. @param fault - why the last answer was not taken */
  async #ask(dialog: Asking, account: ChatAccount, fault?: string): Promise<void> {
    if (!(await this.#keep(account, dialog))) return;
    await this.#closeQuestion(dialog);
    const { text, reply_markup } = drawQuestion(stepOf(dialog), fault);
    const about = { message_id: dialog.where.message, allow_sending_without_reply: true };
    const id = await this.#screen.say(dialog.where.chat, text, { reply_markup, reply_parameters: about });
    const question = id === undefined ? undefined : { id, hasButtons: 'inline_keyboard' in reply_markup };
    if (await this.#keep(account, { ...dialog, question })) await this.#endIfOver(dialog, account);
  }

  /** Ends a dialog whose prompt was settled while something of it was shown. */
  async #endIfOver({ ticket, where }: Dialog, account: ChatAccount): Promise<void> {
    const { card, code } = await this.#host.card(ticket, account);
    if (card?.state === 'open' || code === 'rate_limited') return;
    const replace = (question: Where, text: string) => this.#screen.replace(question, text);
    await endDialog(where, { state: this.#host.state, replace });
  }

  /**
   * Returns the dialog with what its prompt asks for. Undefined if that cannot be read now, and the last message can be sent again; or
   * if the account is not asked any more: then the dialog ends.
   */
  async #resume(dialog: Dialog, account: ChatAccount): Promise<Asking | undefined> {
    const { card, text, code } = await this.#host.card(dialog.ticket, account);
    if (card?.state === 'open') return toAsking(dialog, card);
    if (code === 'rate_limited') {
      await this.#screen.say(dialog.where.chat, text);
      return undefined;
    }
    await this.#host.state.delete(keyOf(account));
    await this.#closeQuestion(dialog, over);
    await this.#screen.say(dialog.where.chat, text || `Too late: ${card?.outcome ?? 'this question is over'}.`);
    return undefined;
  }

  /** Takes the buttons of the last question away. @param instead - what its message says from now on */
  async #closeQuestion({ question, where: { chat } }: Dialog, instead?: string): Promise<void> {
    if (!question) return;
    const where = { chat, message: question.id };
    if (instead !== undefined) await this.#screen.replace(where, instead);
    else if (question.hasButtons) await this.#screen.replaceButtons(where, []);
  }

  async #find(account: ChatAccount): Promise<Dialog | undefined> {
    return (await this.#host.state.get(keyOf(account))) as Dialog | undefined;
  }

  /** Returns false if it may not be kept, because somebody typed a secret that Parley knows. */
  async #keep(account: ChatAccount, dialog: Dialog): Promise<boolean> {
    try {
      await this.#host.state.set(keyOf(account), toJson(dialog));
      return true;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'secret_refused') throw error;
      await this.#host.state.delete(keyOf(account));
      await this.#screen.say(
        dialog.where.chat,
        'This contains a secret, which has no place here: answer it in Parley.',
      );
      return false;
    }
  }
}

function toJson({ kind, ticket, action, where, question, todo, values, lastUpdate, isDone }: Dialog): Json {
  return JSON.parse(JSON.stringify({ kind, ticket, action, where, question, todo, values, lastUpdate, isDone }));
}

function formOf(kind: Dialog['kind'], { form }: Card): Pick<Asking, 'fields' | 'initial'> {
  const { fields = [], initialValues: initial = {} } = (kind === 'form' ? form : undefined) ?? {};
  return { fields, initial };
}

function toAsking(dialog: Dialog, card: Card): Asking {
  return { ...dialog, ...formOf(dialog.kind, card) };
}

function currentOf({ fields, todo }: Asking): Field | undefined {
  return fields.find(({ id }) => id === todo[0]);
}

function chosenOf({ values, initial }: Asking, field: Field): readonly Json[] {
  const value = values[field.id] ?? initial[field.id] ?? field.defaultValue;
  return Array.isArray(value) ? value : [];
}

/** Returns what is asked now. */
function stepOf(dialog: Asking): Step {
  const { kind, action, ticket, fields, todo, initial } = dialog;
  const field = currentOf(dialog);
  const at = fields.length - todo.length + 1;
  return {
    kind,
    action,
    key: `${ticket.slice(0, 8)}${fields.indexOf(field as Field)}`,
    field,
    chosen: field ? chosenOf(dialog, field) : [],
    initial: field && (initial[field.id] ?? field.defaultValue),
    heading: field && fields.length > 1 ? `${at}/${fields.length} ${labelOf(field)}` : field && labelOf(field),
  };
}
