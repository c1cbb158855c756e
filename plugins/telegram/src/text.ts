import type { Card } from '@parleyhq/core';
import type { MessageEntity } from 'grammy/types';

/** In characters, by Telegram's count. */
const longestMessage = 4096;

export interface Text {
  readonly text: string;
  /**
   * Formats parts of the text. Nothing in a text is markup. Telegram itself makes links of addresses, mentions and commands outside code:
   * they look like what they are.
   */
  readonly entities: readonly MessageEntity[];
}

type Style = Extract<MessageEntity['type'], 'bold' | 'italic' | 'pre' | 'blockquote'>;

/** Writes texts one after the other, each with its style. */
class Writer {
  text = '';
  readonly entities: MessageEntity[] = [];

  /** Adds a paragraph; a missing one adds nothing. */
  add(text: string | undefined, style?: Style, gap = '\n'): this {
    if (text === undefined || text.trim() === '') return this;
    if (this.text !== '') this.text += gap;
    if (style) this.entities.push({ type: style, offset: this.text.length, length: text.length } as MessageEntity);
    this.text += text;
    return this;
  }
}

const headlines: Readonly<Record<Card['kind'], string>> = {
  approval: 'An approval waits for you',
  input: 'A question waits for you',
  url: 'A link waits for your consent',
};

/** A text, and whether it contains everything that one consents to. */
export interface CardText extends Text {
  readonly isWhole: boolean;
}

/**
 * Returns the text of a message about a prompt. What people or models wrote is quoted; the rest is Parley's. A text that is too long
 * is drawn without comments, and if it is still too long without its subject.
 */
export function drawText(card: Card, link: string | undefined): CardText {
  const { comments: _, ...brief } = card;
  const { subject: __, ...rest } = brief;
  const drawn = [card, brief].map((each) => write(each, link)).find(({ text }) => text.length <= longestMessage);
  const { text, entities } = drawn ?? write(rest, link);
  return { text, entities, isWhole: drawn !== undefined };
}

function write(card: Card, link: string | undefined): Text {
  const { state, kind, session, tool, title, prompt, subject, risk, expiresAt, note, comments, outcome } = card;
  const writer = new Writer();
  writer.add(state === 'open' ? headlines[kind] : outcome, 'italic');
  writer.add(title === undefined ? undefined : toLine(title), 'bold', '\n\n');
  writer.add(prompt, 'blockquote', '\n\n');
  writer.add(subject?.text, subject?.isCode ? 'pre' : 'blockquote', '\n\n');
  writer.add(`Session: ${toLine(session)}`, undefined, '\n\n');
  writer.add(tool === undefined ? undefined : `Tool: ${toLine(tool)}`);
  writer.add(risk && `Risk: ${risk}`);
  writer.add(state === 'open' && expiresAt ? `Until: ${expiresAt.slice(0, 16).replace('T', ' ')} UTC` : undefined);
  if (comments) writer.add(`Comments: ${comments.count}. ${toLine(comments.by)}:`).add(comments.text, 'blockquote');
  writer.add(note, 'italic', '\n\n');
  writer.add(link && `Open: ${link}`);
  return writer;
}

/** Puts a text on one line. */
function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
