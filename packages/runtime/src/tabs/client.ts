import {
  type Actor,
  type AuditActor,
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
} from '@parleyhq/core';
import { frameOf, refusalFrame } from './frame-batch.ts';

/** Origin of a connection. */
export interface Peer {
  readonly transport: string;
  readonly address: string;
  readonly userAgent?: string | undefined;
}

/** The client of a connection after `hello`: its identity, wishes and permissions. */
export class Client {
  readonly connection: Connection;
  readonly clientId: ClientId;
  readonly principal: Principal;
  /**
   * Credential that admitted it. The connection ends with it, and each of its commands is stored only while it is valid (SEC9).
   */
  readonly credential: Credential;
  /** Whether it can show prompts, and wants to answer them (INT14, INT15). */
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
      /** Closes the connection, because its credential has ended. */
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

  /** The actor with details for the audit only (SEC7). */
  get auditActor(): AuditActor {
    const { address, userAgent } = this.#peer;
    return { ...this.actor, address, ...(userAgent !== undefined && { userAgent }) };
  }

  /** Whether it may be asked in the sessions that it sees. */
  get isResponder(): boolean {
    return includesRole(this.principal.role, 'responder');
  }

  maySee(id: SessionId): boolean {
    return maySee(this.principal, id);
  }

  /** Signal that aborts when the connection is closed. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Aborts `gone`, when the connection is closed. */
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
