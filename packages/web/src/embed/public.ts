/** What every element of Parley has. Attributes have the names of the properties, with hyphens. */
export interface ParleyElement extends HTMLElement {
  /** The origin of the server, as `https://parley.example.org`. Attribute `server`. */
  server: string;
  /** The token of the person who looks; undefined where the server lets everybody in. Attribute `token`, never written back. */
  token: string | undefined;
  /** The colours; those of the page's `color-scheme` unless given. Attribute `theme`. */
  theme: 'light' | 'dark' | undefined;
}

/** A session: its conversation, the prompts in it, and a message box. */
export interface ParleySessionElement extends ParleyElement {
  /** Attribute `session-id`. */
  sessionId: string;
}

/** The prompts that this person may answer, over all sessions. */
export interface ParleyInboxElement extends ParleyElement {}

/** One prompt with its attempts, open or settled. */
export interface ParleyInteractionElement extends ParleyElement {
  /** Attribute `session-id`. */
  sessionId: string;
  /** Attribute `interaction-id`: any attempt of the prompt. */
  interactionId: string;
}

/** Which prompt an event is about. */
export interface ParleyPrompt {
  readonly sessionId: string;
  readonly interactionId: string;
}

export interface ParleyAnswered extends ParleyPrompt {
  readonly action: 'approve' | 'deny' | 'submit' | 'cancel';
}

export interface ParleySettled extends ParleyPrompt {
  /** `answered`, or the reason why it was closed, such as `timeout`. */
  readonly status: string;
  /** What was answered, where it was. */
  readonly action?: 'approve' | 'deny' | 'submit' | 'cancel';
}

export interface ParleySessionChange {
  readonly sessionId: string;
  readonly title: string;
  readonly status: 'idle' | 'running' | 'waiting';
  /** How many of its prompts can be answered. */
  readonly openCount: number;
}

export interface ParleyInboxChange {
  /** How many prompts this person may answer. */
  readonly open: number;
}

export interface ParleyFailure {
  /** As in the protocol: `unauthorised`, `not_found`, `already_answered` … */
  readonly code: string;
  readonly message: string;
}

export interface ParleyOpen {
  /** The address on the server's own page. */
  readonly url: string;
  readonly sessionId?: string;
  readonly interactionId?: string;
}

/** The events of the elements. All bubble, and cross the borders of shadow roots. */
export interface ParleyEventMap {
  /** The person answered a prompt in this element, and the server took the answer. */
  'parley-answered': CustomEvent<ParleyAnswered>;
  /** A prompt that this element shows was settled, by whomever. */
  'parley-settled': CustomEvent<ParleySettled>;
  /** What is known of the session changed. */
  'parley-session-change': CustomEvent<ParleySessionChange>;
  /** The number of prompts in the inbox changed. */
  'parley-inbox-change': CustomEvent<ParleyInboxChange>;
  /** The person follows a link to another part of Parley. Unless it is cancelled, that opens in a new tab. */
  'parley-open': CustomEvent<ParleyOpen>;
  /** The server refused the connection, the session or an answer. */
  'parley-error': CustomEvent<ParleyFailure>;
}

declare global {
  interface HTMLElementTagNameMap {
    'parley-session': ParleySessionElement;
    'parley-inbox': ParleyInboxElement;
    'parley-interaction': ParleyInteractionElement;
  }
  interface GlobalEventHandlersEventMap extends ParleyEventMap {}
}
