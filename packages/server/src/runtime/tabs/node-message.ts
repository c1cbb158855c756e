import type {
  Actor,
  Asked,
  HourlyQuota,
  InteractionId,
  Json,
  ResponseId,
  Seq,
  SessionId,
  StreamPart,
  ToolCallId,
} from '@parleyhq/core';

/** Followers of a session at one node: the number of connections, and the people with names. */
export interface Followers {
  readonly connections: number;
  readonly people: readonly { readonly principal: string; readonly name: string }[];
}

/** Position of the sender's log: a receiver must have caught up with it before it handles the message. */
interface OfSession {
  readonly sessionId: SessionId;
  readonly seq: Seq;
}

/** Messages between nodes about state that is never stored (OPS4). */
export type NodeMessage =
  /** Streamed text. `isWhole`: the part contains the whole text, for nodes that missed its beginning. */
  | (OfSession & {
      readonly kind: 'stream';
      readonly part: StreamPart;
      readonly within: readonly Asked[];
      readonly isWhole?: boolean;
    })
  /** The sender missed a part: the streaming node should send the whole text. */
  | (OfSession & { readonly kind: 'streams_wanted' })
  /** The message was discarded and will be written again. */
  | (OfSession & { readonly kind: 'stream_discarded'; readonly responseId: ResponseId })
  | (OfSession & {
      readonly kind: 'draft';
      readonly interactionId: InteractionId;
      readonly values: Readonly<Record<string, Json>>;
      readonly principal: string;
    })
  /** A claim that is valid for `leftMs` more, independent of clocks; 0 if it was released. */
  | (OfSession & {
      readonly kind: 'claim';
      readonly interactionId: InteractionId;
      readonly by: Actor;
      readonly leftMs: number;
    })
  /**
   * Asks the node that has a result with its secrets to seal it for the sender, whose caller waited when it arrived, or asks
   * later (ASK5).
   */
  | (OfSession & {
      readonly kind: 'result_wanted';
      readonly request: string;
      readonly toolCallId: ToolCallId;
      readonly isWaiting: boolean;
    })
  /** The sealed result; null if the sender does not have it. */
  | { readonly kind: 'result_told'; readonly request: string; readonly sealed: Json }
  /** Costs to add to the quotas of a person. */
  | { readonly kind: 'spent'; readonly person: string; readonly costs: readonly (readonly [HourlyQuota, number])[] }
  | { readonly kind: 'followers'; readonly sessionId: SessionId; readonly followers: Followers };

type OfKind<Kind extends NodeMessage['kind']> = Extract<NodeMessage, { kind: Kind }>;

export type StreamMessage = OfKind<'stream'>;
export type DraftMessage = OfKind<'draft'>;
export type ClaimMessage = OfKind<'claim'>;
export type ResultWanted = OfKind<'result_wanted'>;
export type ResultTold = OfKind<'result_told'>;

/** Passes a message on to the other nodes, if there are any. */
export type PublishToNodes = (message: NodeMessage) => void;
