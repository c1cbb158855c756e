import { setTimeout as pause } from 'node:timers/promises';
import type { ChatAccount, ChatReply, ListenHost } from '@parleyhq/core';
import {
  commentId,
  drawAnswerModal,
  drawCommentModal,
  drawMessageModal,
  fieldBlockOf,
  type Purpose,
  reasonId,
} from './draw-modal.ts';
import { Links } from './links.ts';
import { readMessage } from './messages.ts';
import {
  buttonSchema,
  leaverSchema,
  messageSchema,
  type Press,
  pressSchema,
  purposeSchema,
  readBack,
  type Submission,
  submissionSchema,
} from './payload.ts';
import { type ModalState, readText, readValues } from './read-modal.ts';
import type { Place, Slack } from './slack.ts';
import { SlackError } from './slack-error.ts';
import type { Envelope, HandleEnvelope } from './socket.ts';

/** In ms: delays before what failed for a moment is tried again. Slack waits 3 seconds for an acknowledgement. */
const delaysMs = [200, 800];

const tooLate = 'Slack waited too long for the form. Press the button again.';
const notOpened = 'The form could not be opened. Press the button again, or use Open.';
const notStored = 'This could not be stored. Please try again in a moment.';

/**
 * Handles what Slack delivers. An answer is acknowledged once it is stored: until then Slack says so to whoever pressed, or delivers
 * it again. Whatever opens a form is acknowledged at once, because it changes nothing.
 */
export class Desk {
  readonly #host: ListenHost;
  readonly #slack: Slack;
  readonly #links: Links;
  /** The workspace of the bot. */
  readonly #team: string;

  constructor(host: ListenHost, slack: Slack, team: string) {
    this.#host = host;
    this.#slack = slack;
    this.#links = new Links(host);
    this.#team = team;
  }

  readonly handle: HandleEnvelope = async (envelope, acknowledge) => {
    try {
      return await this.#dispatch(envelope, acknowledge);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      this.#host.log.warn('an event of Slack could not be handled, and is left to be delivered again', { code });
      throw error;
    }
  };

  async #dispatch({ body }: Envelope, acknowledge: () => Promise<void>): Promise<object | undefined> {
    const press = pressSchema.safeParse(body).data;
    if (press) return this.#press(press, acknowledge);
    const submission = submissionSchema.safeParse(body).data;
    if (submission) return this.#submit(submission);
    const message = messageSchema.safeParse(body).data;
    if (message) {
      const { event, team_id: team } = message;
      const account = this.#accountOf(event.user ?? '', event.user_team ?? team);
      await readMessage(message, account, {
        ...{ host: this.#host, slack: this.#slack, links: this.#links },
        keep: persist,
      });
      return undefined;
    }
    const leaver = leaverSchema.safeParse(body).data;
    if (leaver?.event.user.deleted) {
      const { user, event_ts: at } = leaver.event;
      await persist(() => this.#links.unlink(this.#accountOf(user.id, user.team_id ?? leaver.team_id), at));
    }
    return undefined;
  }

  #accountOf(user: string, team: string | undefined, name?: string): ChatAccount {
    return { id: `${team ?? this.#team}:${user}`, ...(name !== undefined && { name }) };
  }

  async #press(press: Press, acknowledge: () => Promise<void>): Promise<undefined> {
    const { user, team, actions, channel, container, message } = press;
    const account = this.#accountOf(user.id, user.team_id ?? team?.id, user.name ?? user.username);
    const where = container?.channel_id ?? channel?.id;
    const ts = container?.message_ts ?? message?.ts;
    const place = where === undefined || ts === undefined ? undefined : { channel: where, ts };
    for (const { action_id: id, value, selected_option: option } of actions) {
      const kind = id.split('-')[0];
      if (kind === 'later') {
        const [minutes = '', ticket = ''] = (option?.value ?? '').split(' ');
        const reply = await this.#keep(press, () => this.#host.snooze({ ticket, minutes: Number(minutes) }, account));
        await acknowledge();
        await this.#show(reply, press, place);
        continue;
      }
      const button = readBack(buttonSchema, value);
      if (kind === 'open' || !button) continue;
      const { ticket, action = '' } = button;
      if (kind === 'answer') {
        const reply = await this.#keep(press, () => this.#host.answer({ ticket, action }, account));
        await acknowledge();
        await this.#show(reply, press, place);
      } else {
        await acknowledge();
        await this.#openModal(press, { ticket, ...(kind === 'ask' && { action }), ...(place && { place }) }, account);
      }
    }
    return undefined;
  }

  /** Opens a form for the words of an answer or a comment. */
  async #openModal(press: Press, purpose: Purpose, account: ChatAccount): Promise<void> {
    const reply = await this.#keep(press, () => this.#host.card(purpose.ticket, account));
    const card = reply.card;
    const action = card?.actions.find(({ ticket }) => ticket === purpose.ticket);
    const isComment = purpose.action === undefined;
    if (!reply.isDone || !card || !(isComment || action)) {
      await this.#show({ ...reply, isDone: false, text: reply.text || (card?.outcome ?? '') }, press, purpose.place);
      return;
    }
    const view = action ? drawAnswerModal(card, action, purpose) : drawCommentModal(card, purpose);
    try {
      await this.#slack.openModal(press.trigger_id ?? '', view);
    } catch (error) {
      const code = error instanceof SlackError ? error.code : '';
      if (code === 'exchanged_trigger_id') return; // delivered again: the form is open
      await this.#say(press, purpose.place, code === 'expired_trigger_id' ? tooLate : notOpened);
    }
  }

  /** Returns what Slack shows: nothing more, errors at the fields, or a sentence. */
  async #submit({ user, team, view }: Submission): Promise<object | undefined> {
    const purpose = readBack(purposeSchema, view.private_metadata);
    if (!purpose) return undefined;
    const account = this.#accountOf(user.id, user.team_id ?? team?.id, user.name ?? user.username);
    const { values: state } = view.state;
    const { ticket, action, place } = purpose;
    if (action === undefined) {
      const text = readText(state[commentId]?.[commentId]) ?? '';
      const id = view.id ?? `${place?.ts} ${text}`;
      const reply = await persist(() => this.#host.comment({ ticket, text, id }, account));
      return reply.isDone ? undefined : refuse(reply, state);
    }
    const shown = await persist(() => this.#host.card(ticket, account));
    if (!shown.card) return refuse(shown, state);
    const fields = shown.card.form?.fields ?? [];
    const reason = readText(state[reasonId]?.[reasonId]);
    const given = {
      ...{ ticket, action },
      ...(action === 'submit' && { values: readValues(fields, state) }), // also when it is repeated after the answer
      ...(reason !== undefined && { reason }),
    };
    const reply = await persist(() => this.#host.answer(given, account));
    if (reply.isDone) return undefined;
    const errors = Object.entries(reply.fieldErrors ?? {}).map(([id, text]) => {
      const block = fieldBlockOf(fields.findIndex((field) => field.id === id));
      return [block in state ? block : Object.keys(state)[0], text];
    });
    if (errors.length > 0) return { response_action: 'errors', errors: Object.fromEntries(errors) };
    return refuse(reply, state);
  }

  /** Shows what became of a press, if the message does not: the server changes the message of whatever was done. */
  async #show(reply: ChatReply, press: Press, place: Place | undefined): Promise<void> {
    const { isDone, text, card } = reply;
    const isOver = card !== undefined && card.state !== 'open';
    try {
      if (isOver && place?.channel.startsWith('D'))
        await this.#host.redraw(place, card, (signal) => this.#slack.change(place, card, signal));
    } catch {
      this.#host.log.debug('a message could not be changed after a press: the server does it');
    }
    if (!isDone && text !== '') await this.#say(press, place, text);
  }

  async #say({ user }: Press, place: Place | undefined, text: string): Promise<void> {
    if (!place) return;
    try {
      await this.#slack.whisper(place.channel, user.id, text);
    } catch (error) {
      const code = error instanceof SlackError ? error.code : undefined;
      this.#host.log.debug('somebody could not be shown what became of their press', { code });
    }
  }

  /** Does what may have to be repeated; whoever pressed is notified if it cannot be done. */
  async #keep(press: Press, work: () => Promise<ChatReply>): Promise<ChatReply> {
    try {
      return await persist(work);
    } catch (error) {
      const { channel, container, message } = press;
      const where = container?.channel_id ?? channel?.id;
      await this.#say(press, where === undefined ? undefined : { channel: where, ts: message?.ts ?? '' }, notStored);
      throw error;
    }
  }
}

/** Says in a modal why nothing was stored. What was written stays there if it can be sent again in a moment. */
function refuse({ code, text }: ChatReply, state: ModalState): object {
  const [block] = Object.keys(state);
  if (code === 'rate_limited' && block !== undefined) return { response_action: 'errors', errors: { [block]: text } };
  return { response_action: 'update', view: drawMessageModal(text) };
}

/** Repeats what failed for a moment. @throws what it threw last */
async function persist<Reply>(work: () => Promise<Reply>): Promise<Reply> {
  for (const delayMs of delaysMs) {
    try {
      return await work();
    } catch {
      await pause(delayMs); // all that the server throws may succeed later
    }
  }
  return work();
}
