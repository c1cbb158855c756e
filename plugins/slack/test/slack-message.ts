interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly elements?: readonly Element[];
}

interface Element {
  readonly action_id?: string;
  readonly text?: { readonly text: string };
  readonly value?: string;
  readonly url?: string;
  readonly options?: readonly { readonly text: { readonly text: string }; readonly value: string }[];
}

/** A message as it looks. */
export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  text: string;
  blocks: readonly Block[];
  edits: number;
  /** Set if only this user sees it. */
  readonly user?: string;
}

/** Returns the conversation of a user with the bot. */
export function channelOf(user: string): string {
  return user.replace(/^U/, 'D');
}

export function isOpen({ blocks }: SlackMessage): boolean {
  return blocks[0]?.block_id?.startsWith('open:') === true;
}

export function titleOf({ blocks }: SlackMessage): string | undefined {
  return (blocks[0] as unknown as Element | undefined)?.text?.text;
}

/** Returns the texts of a message's buttons. */
export function buttonsOf({ blocks }: SlackMessage): readonly string[] {
  return elementsOf(blocks).flatMap(({ text: label, options }) => (options || !label ? [] : [label.text]));
}

const elementsOf = (blocks: readonly Block[]): readonly Element[] =>
  blocks.filter(({ type }) => type === 'actions').flatMap(({ elements = [] }) => elements);

/** Returns what Slack delivers of an element that is used. */
export function actionOf({ blocks }: SlackMessage, label: string): object {
  for (const element of elementsOf(blocks)) {
    const { action_id, text: own, value, options = [] } = element;
    const option = options.find((each) => each.text.text === label);
    if (option) return { type: 'static_select', action_id, selected_option: option };
    if (own?.text === label) return { type: 'button', action_id, ...(value !== undefined && { value }) };
  }
  throw new Error(`There is no "${label}" in ${JSON.stringify(blocks)}`);
}
