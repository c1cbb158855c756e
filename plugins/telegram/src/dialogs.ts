import {
  type Card,
  type ChatAccount,
  type ChatReply,
  type Field,
  isEmptyValue,
  type Json,
  type ListenHost,
  labelOf,
  readTypedValue,
} from '@parleyhq/core';
import { drawChoices, drawQuestion, readChoice, type Step } from './question.ts';
import type { Screen, Where } from './screen.ts';

/** What the bot is asking somebody in words: a reason, a comment, or the fields of a form, one after the other. */
interface Dialog {
  readonly kind: 'reason' | 'comment' | 'form';
  readonly ticket: string;
  readonly action: string;
  /** The message of the card. */
  readonly where: Where;
  readonly fields: readonly Field[];
  readonly initial: Readonly<Record<string, Json>>;
  /** Ids of the fields that are still to be asked for. */
  readonly todo: readonly string[];
  readonly values: Readonly<Record<string, Json>>;
  /** The update that changed it last: delivered again, it must not change it twice. */
  readonly lastUpdate: number;
  readonly isDone: boolean;
}

interface Arrival {
  readonly account: ChatAccount;
  readonly updateId: number;
}

const keyOf = ({ id }: ChatAccount): string => `dialog:${id}`;

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
    const { fields = [], initialValues: initial = {} } = (kind === 'form' ? card.form : undefined) ?? {};
    const todo = fields.map(({ id }) => id);
    const dialog = {
      ...{ kind, ticket, action, where, fields, initial, todo },
      ...{ values: {}, lastUpdate: updateId, isDone: false },
    };
    if (await this.#keep(account, dialog)) await this.#ask(dialog);
  }

  /** Takes a message. Returns false if nothing was asked. */
  async read(
    text: string,
    { account, updateId, messageId }: Arrival & { readonly messageId: number },
  ): Promise<boolean> {
    const dialog = await this.#find(account);
    if (!dialog || (dialog.isDone && updateId !== dialog.lastUpdate)) return false;
    if (updateId < dialog.lastUpdate || dialog.isDone) return true; // delivered again
    const host = this.#host;
    const { kind, ticket, action } = dialog;
    const arrival = { account, updateId };
    if (updateId === dialog.lastUpdate) await this.#ask(dialog);
    else if (text.trim() === '') await this.#ask(dialog, 'Please write a text.');
    else if (kind === 'reason')
      await this.#end(dialog, await host.answer({ ticket, action, reason: text }, account), arrival);
    else if (kind === 'comment')
      await this.#end(dialog, await host.comment({ ticket, text, id: String(messageId) }, account), arrival);
    else {
      const field = currentOf(dialog);
      const value = field && readTypedValue(field, text);
      if (value === undefined) await this.#ask(dialog, 'I do not understand this.');
      else await this.#fill(dialog, value, arrival);
    }
    return true;
  }

  /** Takes the press of a button below a question. Returns false if it is another kind of button. */
  async press(data: string, arrival: Arrival & { readonly where?: Where | undefined }): Promise<boolean> {
    const pressed = readChoice(data);
    if (!pressed) return false;
    const { account, updateId } = arrival;
    const dialog = await this.#find(account);
    const field = dialog && currentOf(dialog);
    const isCurrent = dialog && field && !dialog.isDone && stepOf(dialog).key === pressed.key;
    if (!isCurrent || updateId < dialog.lastUpdate) return true; // an old question
    if (updateId === dialog.lastUpdate) {
      await this.#ask(dialog);
      return true;
    }
    const { choice } = pressed;
    const option = field.options?.[Number(choice)]?.value;
    if (choice === 'skip') await this.#fill(dialog, dialog.initial[field.id] ?? field.defaultValue, arrival);
    else if (choice === 'yes' || choice === 'no') await this.#fill(dialog, choice === 'yes', arrival);
    else if (choice === 'done') await this.#fill(dialog, dialog.values[field.id], arrival);
    else if (option === undefined) return true;
    else if (field.type === 'multiselect') await this.#toggle(dialog, { field, option }, arrival);
    else await this.#fill(dialog, option, arrival);
    return true;
  }

  /** Stops asking. Returns what to say. */
  async cancel(account: ChatAccount): Promise<string> {
    const dialog = await this.#find(account);
    await this.#host.state.delete(keyOf(account));
    return dialog && !dialog.isDone ? 'Nothing was sent. The question is still open.' : 'There is nothing to cancel.';
  }

  /** Adds an option to those that were chosen, or takes it back. */
  async #toggle(
    dialog: Dialog,
    { field, option }: { readonly field: Field; readonly option: string },
    { account, updateId, where }: Arrival & { readonly where?: Where | undefined },
  ): Promise<void> {
    const chosen = chosenOf(dialog, field);
    const next = chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option];
    const changed = { ...dialog, values: { ...dialog.values, [field.id]: next }, lastUpdate: updateId };
    if (!(await this.#keep(account, changed)) || !where) return;
    await this.#screen.replaceButtons(where, drawChoices(stepOf(changed), field));
  }

  /** Takes the value of the current field; after the last one, the form is sent. */
  async #fill(dialog: Dialog, value: Json | undefined, arrival: Arrival): Promise<void> {
    const { ticket, action } = dialog;
    const [id = '', ...todo] = dialog.todo;
    const { [id]: _, ...others } = dialog.values;
    const values = value === undefined || isEmptyValue(value) ? others : { ...others, [id]: value };
    const next = { ...dialog, todo, values, lastUpdate: arrival.updateId };
    if (todo.length > 0) {
      if (await this.#keep(arrival.account, next)) await this.#ask(next);
      return;
    }
    await this.#end(next, await this.#host.answer({ ticket, action, values }, arrival.account), arrival);
  }

  /**
   * Reports a reply. Fields that do not fit are asked for again. What the server takes only later changes nothing: the last message can
   * be sent again.
   */
  async #end(dialog: Dialog, reply: ChatReply, { account, updateId }: Arrival): Promise<void> {
    const { where, fields, kind } = dialog;
    if (reply.code === 'rate_limited') {
      await this.#screen.say(where.chat, reply.text);
      return;
    }
    const wrong = fields.filter(({ id }) => reply.fieldErrors?.[id] !== undefined);
    const [first] = wrong;
    if (first) {
      const again = { ...dialog, todo: wrong.map(({ id }) => id), lastUpdate: updateId };
      if (await this.#keep(account, again)) await this.#ask(again, reply.fieldErrors?.[first.id]);
      return;
    }
    const isAskedAgain = reply.code === 'invalid' && kind !== 'form';
    const kept = { ...dialog, values: {}, lastUpdate: updateId, isDone: !isAskedAgain };
    if (!(await this.#keep(account, kept))) return;
    const faults = Object.values(reply.fieldErrors ?? {});
    await this.#screen.say(where.chat, [reply.text, ...faults].join(' '));
    const { card } = reply;
    if (card) await this.#screen.showLatest(where, card, () => this.#host.card(card.ticket, account));
  }

  async #ask(dialog: Dialog, fault?: string): Promise<void> {
    const { text, reply_markup } = drawQuestion(stepOf(dialog), fault);
    const about = { message_id: dialog.where.message, allow_sending_without_reply: true };
    await this.#screen.say(dialog.where.chat, text, { reply_markup, reply_parameters: about });
  }

  async #find(account: ChatAccount): Promise<Dialog | undefined> {
    return (await this.#host.state.get(keyOf(account))) as Dialog | undefined;
  }

  /** Returns false if it may not be kept, because somebody typed a secret that Parley knows. */
  async #keep(account: ChatAccount, dialog: Dialog): Promise<boolean> {
    try {
      await this.#host.state.set(keyOf(account), dialog as unknown as Json);
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

function currentOf({ fields, todo }: Dialog): Field | undefined {
  return fields.find(({ id }) => id === todo[0]);
}

function chosenOf({ values, initial }: Dialog, field: Field): readonly Json[] {
  const value = values[field.id] ?? initial[field.id] ?? field.defaultValue;
  return Array.isArray(value) ? value : [];
}

/** Returns what is asked now. */
function stepOf(dialog: Dialog): Step {
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
