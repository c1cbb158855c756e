import type { Actor, Asked, InteractionId, Json, ResponseId, Seq, SessionId, StreamPart } from '@parleyhq/core';

/** Who follows a session at one node: how many connections, and those people that have names. */
export interface Followers {
  readonly connections: number;
  readonly people: readonly { readonly principal: string; readonly name: string }[];
}

/** How far the sender's log had come: whoever hears of it needs to know as much first. */
interface OfSession {
  readonly sessionId: SessionId;
  readonly seq: Seq;
}

/** What nodes tell each other of what is never stored (OPS4). */
export type NodeMessage =
  /** `isWhole`: it is all that there is, for whoever missed its beginning. */
  | (OfSession & {
      readonly kind: 'stream';
      readonly part: StreamPart;
      readonly within: readonly Asked[];
      readonly isWhole?: boolean;
    })
  /** Something was missed: whoever streams shall send all of it. */
  | (OfSession & { readonly kind: 'streams_wanted' })
  /** A message is begun anew. */
  | (OfSession & { readonly kind: 'stream_discarded'; readonly responseId: ResponseId })
  | (OfSession & {
      readonly kind: 'draft';
      readonly interactionId: InteractionId;
      readonly values: Readonly<Record<string, Json>>;
      readonly principal: string;
    })
  /** It holds for `leftMs` more, by whatever clock; 0 where it was given up. */
  | (OfSession & {
      readonly kind: 'claim';
      readonly interactionId: InteractionId;
      readonly by: Actor;
      readonly leftMs: number;
    })
  | { readonly kind: 'followers'; readonly sessionId: SessionId; readonly followers: Followers };

type OfKind<Kind extends NodeMessage['kind']> = Extract<NodeMessage, { kind: Kind }>;

export type StreamMessage = OfKind<'stream'>;
export type DraftMessage = OfKind<'draft'>;
export type ClaimMessage = OfKind<'claim'>;

/** Passes a message on to the other nodes, if there are any. */
export type TellNodes = (message: NodeMessage) => void;
