import {
  type Actor,
  type ClientId,
  type Connection,
  type Credential,
  type FrameBatch,
  includesRole,
  maySee,
  type Principal,
  type RefusalError,
  type ServerFrame,
  type SessionId,
  type Witness,
} from '@parleyhq/core';
import { frameOf, refusalFrame } from './frame-batch.ts';

/** Where a connection comes from. */
export interface Peer {
  readonly transport: string;
  readonly address: string;
  readonly userAgent?: string | undefined;
}

/** Who is behind a connection after `hello`: what it wants, and what it may. */
export class Client {
  readonly connection: Connection;
  readonly clientId: ClientId;
  readonly principal: Principal;
  /** What lets it in. It ends with it, and each of its commands is stored only while it is valid (SEC9). */
  readonly credential: Credential;
  /** Can draw prompts at all, and wants to answer them (INT14, INT15). */
  isInteractive: boolean;
  isEnabled: boolean;
  readonly #label: string | undefined;
  readonly #peer: Peer;
  readonly #expel: (reason: string) => void;
  readonly #gone = new AbortController();

  constructor(
    connection: Connection,
    options: {
      clientId: ClientId;
      principal: Principal;
      credential: Credential;
      label: string | undefined;
      peer: Peer;
      /** Ends the connection: its token is good for nothing any more. */
      expel: (reason: string) => void;
      interaction: { supported: boolean; enabled: boolean } | undefined;
    },
  ) {
    this.connection = connection;
    this.clientId = options.clientId;
    this.principal = options.principal;
    this.credential = options.credential;
    this.#label = options.label;
    this.#peer = options.peer;
    this.#expel = options.expel;
    this.isInteractive = options.interaction?.supported ?? false;
    this.isEnabled = this.isInteractive && (options.interaction?.enabled ?? false);
  }

  get actor(): Actor {
    return {
      clientId: this.clientId,
      connectionId: this.connection.id,
      principal: this.principal.id,
      ...(this.principal.name !== undefined && { name: this.principal.name }),
      ...(this.#label !== undefined && { label: this.#label }),
      transport: this.#peer.transport,
      ...(this.principal.owner !== undefined && { owner: this.principal.owner }),
      role: this.principal.role,
    };
  }

  /** The same with what others need not know of it (SEC7). */
  get witness(): Witness {
    const { address, userAgent } = this.#peer;
    return { ...this.actor, address, ...(userAgent !== undefined && { userAgent }) };
  }

  /** Could be asked in the sessions that it sees. */
  get isResponder(): boolean {
    return includesRole(this.principal.role, 'responder');
  }

  maySee(id: SessionId): boolean {
    return maySee(this.principal, id);
  }

  /** Aborts when the connection is closed. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** The connection is closed. */
  leave(): void {
    this.#gone.abort();
  }

  expel(reason: string): void {
    this.#expel(reason);
  }

  send(frame: ServerFrame): void {
    this.connection.send(frameOf(frame));
  }

  sendBatch(batch: FrameBatch): void {
    this.connection.send(batch);
  }

  refuse(refusal: RefusalError, requestId: string | undefined): void {
    this.connection.send(refusalFrame(refusal, requestId));
  }
}
