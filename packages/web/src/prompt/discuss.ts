import type { Answer } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { icons } from '../ui/icons.ts';
import type { Chain } from './chain.ts';
import type { Discussant } from './discussion.ts';

/** Renders the button that opens a box for a comment; its name says nothing that an answer's button says. */
export function renderDiscuss({ comment }: Discussant, isOpen: boolean, toggle: () => void) {
  if (!comment) return nothing;
  return html`<button class="icon" aria-label="Discuss" title="Discuss" aria-expanded=${isOpen} aria-description="" @click=${toggle}>
    ${icons.talk}
  </button>`;
}

/**
 * Renders what was said under a prompt and its earlier attempts; most prompts have no comments, and the code is loaded for the first
 * (REV4).
 * @param onDeny - denies the prompt; undefined if this person may not
 */
export function renderDiscussion(
  { steps, current }: Chain,
  viewer: Discussant,
  draftKey = '',
  isWriting = false,
  onDeny?: (event: CustomEvent<Answer>) => void,
): TemplateResult | typeof nothing {
  const attempts = [...steps, current];
  if (!isWriting && attempts.every(({ comments }) => !comments)) return nothing;
  void import('./discussion.ts').catch(() => undefined);
  return html`<parley-discussion
    .attempts=${attempts}
    .viewer=${viewer}
    draftKey=${draftKey}
    ?isOpen=${draftKey !== ''}
    ?isWriting=${isWriting}
    ?mayDeny=${onDeny !== undefined}
    @parley-answer=${onDeny}
  ></parley-discussion>`;
}
