import type { Actor, ClientId, Connection, FrameBatch, RefusalError, ServerFrame, SessionId } from '@parley/core';
import { frameOf } from './frame-batch.ts';
import type { Subscription } from './subscription.ts';

/** Whom a token names. Its role comes from the token alone (SEC4). */
export interface Principal {
  readonly id: string;
  readonly role: 'viewer' | 'responder' | 'operator';
}

/** Who is behind a connection after `hello`: what it wants, and what it may. */
export class Client {
  readonly connection: Connection;
  readonly clientId: ClientId;
  readonly principal: Principal;
  readonly subscriptions = new Map<SessionId, Subscription>();
  /** Can draw prompts at all, and wants to answer them (INT14, INT15). */
  isInteractive: boolean;
  isEnabled: boolean;
  readonly #label: string | undefined;
  readonly #transport: string;

  constructor(
    connection: Connection,
    options: {
      clientId: ClientId;
      principal: Principal;
      label: string | undefined;
      transport: string;
      interaction: { supported: boolean; enabled: boolean } | undefined;
    },
  ) {
    this.connection = connection;
    this.clientId = options.clientId;
    this.principal = options.principal;
    this.#label = options.label;
    this.#transport = options.transport;
    this.isInteractive = options.interaction?.supported ?? false;
    this.isEnabled = this.isInteractive && (options.interaction?.enabled ?? false);
  }

  get actor(): Actor {
    return {
      clientId: this.clientId,
      connectionId: this.connection.id,
      principal: this.principal.id,
      ...(this.#label !== undefined && { label: this.#label }),
      transport: this.#transport,
    };
  }

  get mayAnswer(): boolean {
    return this.principal.role !== 'viewer';
  }

  send(frame: ServerFrame): void {
    this.connection.send(frameOf(frame));
  }

  sendBatch(batch: FrameBatch): void {
    this.connection.send(batch);
  }

  refuse(refusal: RefusalError, requestId: string | undefined): void {
    const error = refusal.toWire();
    this.send(requestId === undefined ? { type: 'error', ...error } : { type: 'reply', requestId, ok: false, error });
  }
}
