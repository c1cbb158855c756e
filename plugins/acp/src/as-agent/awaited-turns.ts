import type { ChatEvent, CodedError, MessageId, TurnId } from '@parleyhq/core';
import type { StopReason } from '../sdk.ts';
import { RpcError, rpcCodes } from './rpc.ts';

interface Awaited {
  turnId: TurnId | undefined;
  resolve(reason: StopReason): void;
  reject(error: RpcError): void;
}

/** Why an agent ended its turn early, by the code of the turn's error. */
const stopReasons: Readonly<Record<string, StopReason>> = {
  max_tokens: 'max_tokens',
  token_budget: 'max_tokens',
  max_turn_requests: 'max_turn_requests',
  max_rounds: 'max_turn_requests',
  refusal: 'refusal',
};

/** The turns that prompts of an editor begin: a prompt is answered when its own turn ends, however long it was queued. */
export class AwaitedTurns {
  readonly #messages = new Map<MessageId, Awaited>();
  /** The message whose turn is about to start. */
  #next: Awaited | undefined;

  /** Waits for the end of the turn of a message; to be called before it is sent. */
  expect(messageId: MessageId): Promise<StopReason> {
    return new Promise((resolve, reject) => {
      this.#messages.set(messageId, { turnId: undefined, resolve, reject });
    });
  }

  has(messageId: MessageId): boolean {
    return this.#messages.has(messageId);
  }

  /** Waits no longer, because the message was not stored. */
  forget(messageId: MessageId): void {
    this.#messages.delete(messageId);
  }

  follow(event: ChatEvent): void {
    if (event.type === 'user_message') this.#next = this.#messages.get(event.payload.messageId);
    else if (event.type === 'turn_start' && this.#next) {
      this.#next.turnId = event.turnId;
      this.#next = undefined;
    } else if (event.type === 'message_unqueued') {
      this.#messages.get(event.payload.messageId)?.resolve('cancelled');
      this.#messages.delete(event.payload.messageId);
    } else if (event.type === 'turn_end') this.#end(event);
  }

  /** No turn of this session can be followed any longer. */
  fail(error: RpcError): void {
    for (const { reject } of this.#messages.values()) reject(error);
    this.#messages.clear();
  }

  #end({ turnId, payload: { status, error } }: ChatEvent<'turn_end'>): void {
    for (const [messageId, awaited] of this.#messages) {
      if (awaited.turnId === undefined || awaited.turnId !== turnId) continue;
      this.#messages.delete(messageId);
      if (status === 'completed') awaited.resolve('end_turn');
      else if (status === 'cancelled') awaited.resolve('cancelled');
      else fail(awaited, error);
    }
  }
}

function fail({ resolve, reject }: Awaited, error: CodedError | undefined): void {
  const { code = 'internal', message = 'The turn failed.' } = error ?? {};
  const reason = Object.hasOwn(stopReasons, code) ? stopReasons[code] : undefined;
  if (reason) resolve(reason);
  else reject(new RpcError(rpcCodes.internal, message, { code }));
}
