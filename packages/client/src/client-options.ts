import type { Answer, Assertion, ClientId, InteractionId, InteractionRequest, SessionId } from '@parleyhq/core';
import type { ConnectionOptions } from './connection.ts';
import type { TabStorage } from './kept-answers.ts';
import type { LogInAgain } from './request-queue.ts';
import type { Transport } from './transports/transport.ts';

/** One answer that a passkey of the person must sign (SIGN2). `challengeText` says what is signed. */
export interface Signing {
  readonly sessionId: SessionId;
  readonly digest: string;
  readonly interactionId: InteractionId;
  readonly request: InteractionRequest;
  readonly answer: Answer;
  readonly answerId: string;
  /** The person who answers. */
  readonly person: string;
}

/** Asks the person for a passkey. @throws Error that says why there is no signature */
export type SignAnswer = (signing: Signing) => Promise<Assertion>;

export interface ClientOptions extends ConnectionOptions {
  readonly transport: Transport;
  /** Identifies one tab or program across reconnects; a new id by default. */
  readonly clientId?: ClientId;
  readonly token?: string;
  /** Name of this device, as people see it elsewhere. */
  readonly label?: string;
  /** Whether prompts can be answered here at first (INT15); true by default. */
  readonly isInteractive?: boolean;
  /** Asks the person for the token again if the server requires it; without it, such requests are refused (SEC9). */
  readonly logInAgain?: LogInAgain;
  /** Signs answers to prompts that demand a passkey; without it the server refuses them (SIGN2). */
  readonly sign?: SignAnswer;
  /** Storage in which unacknowledged answers survive a reload (FRM6); by default they are in memory only. */
  readonly storage?: TabStorage;
}
