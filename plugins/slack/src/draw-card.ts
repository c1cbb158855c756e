import type { Card, CardAction } from '@parleyhq/core';
import type { ActionsBlock, ActionsBlockElement, Button, KnownBlock, PlainTextElement } from '@slack/types';
import { cutText, drawSections, escapeText, makePlain, splitText } from './text.ts';

/** A message as Slack draws it. `text` is what its notifications show. */
export interface Drawing {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** In characters, after escaping: the most that a button, a header and an option take. */
const longestButton = 75;
const longestHeader = 150;

/** What a button of a card does; the rest of its id makes it unique within the message. */
export type ButtonKind = 'answer' | 'ask' | 'comment' | 'later' | 'open';

/** What a button carries. */
export interface ButtonValue {
  readonly ticket: string;
  readonly action?: string;
}

const delays: readonly (readonly [minutes: number, label: string])[] = [
  [10, 'In 10 minutes'],
  [60, 'In 1 hour'],
  [240, 'In 4 hours'],
  [1440, 'Tomorrow'],
];

/** Draws a card in blocks: the same card is always the same message (CHAT3). */
export function drawCard(card: Card): Drawing {
  const { state, title = 'You are asked', prompt, subject, note, outcome, session, ticket } = card;
  const isHeader = escapeText(title).length <= longestHeader;
  const buttons = state === 'open' ? drawActions(card) : [];
  return {
    text: escapeText(state === 'open' ? `${title} (${session})` : `${title}: ${outcome ?? 'over'}`),
    blocks: [
      {
        type: isHeader ? 'header' : 'section',
        text: makePlain(title),
        block_id: cardBlockOf(state, ticket),
      } as KnownBlock,
      ...drawSections(prompt),
      ...(subject ? (subject.isCode ? drawCode(subject.text) : drawSections(subject.text)) : []),
      ...drawSections(state === 'open' ? listAnswers(card) : undefined),
      ...drawSections(note),
      ...drawSections(outcome),
      drawContext(card),
      ...buttons,
      { type: 'actions', block_id: 'more', elements: drawMore(card) },
    ],
  };
}

/** Returns the id of a card's first block, which says what the message is, also to a later process. */
export function cardBlockOf(state: Card['state'], ticket: string): string {
  return `${state}:${ticket}`;
}

/** Reads the ticket from the id of a message's first block. Undefined if the message is not a card. */
export function readCardBlock(blockId: string | undefined): string | undefined {
  return /^(?:open|snoozed|settled):(.+)$/.exec(blockId ?? '')?.[1];
}

/** Draws code in a fixed-width font. A fence cannot show a fence, and its section takes few characters. */
function drawCode(text: string): KnownBlock[] {
  if (text.trim() === '') return [];
  const isFenced = !text.includes('```') && splitText(text).length === 1;
  if (isFenced)
    return [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `\`\`\`\n${escapeText(text)}\n\`\`\``, verbatim: true },
        expand: true, // one consents to all of it
      },
    ];
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }] }];
}

/** Draws what is known of the prompt besides its texts. The session's title is untrusted, so it stands in a text of its own. */
function drawContext({ session, tool, risk, expiresAt, comments }: Card): KnownBlock {
  const facts = [
    `Session: ${session}`,
    ...(tool === undefined ? [] : [`Tool: ${tool}`]),
    ...(risk === undefined ? [] : [`Risk: ${risk}`]),
    ...(comments ? [`Comments: ${comments.count}, the last by ${comments.by}: ${comments.text}`] : []),
  ];
  const seconds = Math.floor(Date.parse(expiresAt ?? '') / 1000);
  const until = `Until <!date^${seconds}^{date_short_pretty}, {time}|${expiresAt}>`;
  return {
    type: 'context',
    elements: [
      ...facts.map((fact) => makePlain(cutText(fact, 2000))),
      ...(Number.isNaN(seconds) ? [] : [{ type: 'mrkdwn' as const, text: until, verbatim: true }]),
    ],
  };
}

function drawActions({ actions }: Card): ActionsBlock[] {
  if (actions.length === 0) return [];
  const isListed = isTooLong(actions);
  const buttons = actions.map((each, n) =>
    makeButton(needsWords(each) ? 'ask' : 'answer', n, isListed ? numberLabel(each.label, n) : each.label, {
      ticket: each.ticket,
      action: each.action,
    }),
  );
  const reasons = actions.flatMap((each, n) =>
    each.reason === 'optional'
      ? [makeButton('ask', n, `${each.label} with a reason…`, { ticket: each.ticket, action: each.action })]
      : [],
  );
  return [{ type: 'actions', block_id: 'answers', elements: [...buttons, ...reasons] }];
}

/** Whether somebody must write something before the answer is complete. */
function needsWords({ needsValues, reason }: CardAction): boolean {
  return needsValues === true || reason === 'required';
}

/** Lists the answers in full if their buttons cut them. What options mean stands in the prompt. */
function listAnswers({ actions }: Card): string | undefined {
  return isTooLong(actions) ? actions.map(({ label }, n) => numberLabel(label, n)).join('\n') : undefined;
}

const isTooLong = (actions: readonly CardAction[]): boolean =>
  actions.some(({ label }) => escapeText(label).length > longestButton || label.trim() === '');

const numberLabel = (label: string, n: number): string => `${n + 1}. ${label}`;

function drawMore({ state, ticket, url }: Card): ActionsBlockElement[] {
  const open: Button = { ...makeButton('open', 0, 'Open', undefined), url };
  if (state !== 'open') return [open];
  return [
    open,
    makeButton('comment', 0, 'Comment…', { ticket }),
    {
      type: 'static_select',
      action_id: 'later-0',
      placeholder: makePlain('Ask me later'),
      options: delays.map(([minutes, label]) => ({ text: makePlain(label), value: `${minutes} ${ticket}` })),
    },
  ];
}

function makeButton(kind: ButtonKind, n: number, label: string, value: ButtonValue | undefined): Button {
  return {
    type: 'button',
    action_id: `${kind}-${n}`,
    text: makeLabel(label),
    ...(value && { value: JSON.stringify(value) }),
  };
}

/** Returns the text of a button or option: truncated, so what is longer must also be listed. */
export function makeLabel(label: string): PlainTextElement {
  return makePlain(cutText(label, longestButton));
}
