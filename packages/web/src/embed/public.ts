/** What all elements of Parley share. Attributes have the names of the properties, with hyphens. */
export interface ParleyElement extends HTMLElement {
  /** Address of the server, such as `https://parley.example.org`. Attribute `server`. */
  server: string;
  /** Token of the person who uses the element; undefined if the server needs none. Attribute `token`, never written back. */
  token: string | undefined;
  /** Colour theme; by default the page's `color-scheme`. Attribute `theme`. */
  theme: 'light' | 'dark' | undefined;
}

/** A session: its conversation, its prompts and a message box. */
export interface ParleySessionElement extends ParleyElement {
  /** Attribute `session-id`. */
  sessionId: string;
}

/** The prompts that this person may answer, from all sessions. */
export interface ParleyInboxElement extends ParleyElement {}

/** One prompt with its attempts, open or settled. */
export interface ParleyInteractionElement extends ParleyElement {
  /** Attribute `session-id`. */
  sessionId: string;
  /** Attribute `interaction-id`: any attempt of the prompt. */
  interactionId: string;
}

/** The prompt that an event is about. */
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
  /** The action of the answer, if it was answered. */
  readonly action?: 'approve' | 'deny' | 'submit' | 'cancel';
}

export interface ParleySessionChange {
  readonly sessionId: string;
  readonly title: string;
  readonly status: 'idle' | 'running' | 'waiting';
  /** Number of its prompts that can be answered. */
  readonly openCount: number;
}

export interface ParleyInboxChange {
  /** Number of prompts that this person may answer. */
  readonly open: number;
}

export interface ParleyFailure {
  /** An error code of the protocol: `unauthorised`, `not_found`, `already_answered` … */
  readonly code: string;
  readonly message: string;
}

export interface ParleyOpen {
  /** Address on the server's own page. */
  readonly url: string;
  readonly sessionId?: string;
  readonly interactionId?: string;
}

/** The events of the elements. All of them bubble and cross shadow roots. */
export interface ParleyEventMap {
  /** The person answered a prompt in this element, and the server accepted the answer. */
  'parley-answered': CustomEvent<ParleyAnswered>;
  /** A prompt that this element shows was settled, whoever did it. */
  'parley-settled': CustomEvent<ParleySettled>;
  /** The title, status or number of open prompts of the session changed. */
  'parley-session-change': CustomEvent<ParleySessionChange>;
  /** The number of prompts in the inbox changed. */
  'parley-inbox-change': CustomEvent<ParleyInboxChange>;
  /** The person follows a link to another part of Parley. Unless the event is cancelled, the link opens in a new tab. */
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
