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
  /** Whoever has the result of a call with its secrets seals it to the sender, whose caller waited when it came, or asks later (ASK5). */
  | (OfSession & {
      readonly kind: 'result_wanted';
      readonly request: string;
      readonly toolCallId: ToolCallId;
      readonly isWaiting: boolean;
    })
  /** null: the sender has it not. */
  | { readonly kind: 'result_told'; readonly request: string; readonly sealed: Json }
  /** For the quotas of a person. */
  | { readonly kind: 'spent'; readonly person: string; readonly costs: readonly (readonly [HourlyQuota, number])[] }
  | { readonly kind: 'followers'; readonly sessionId: SessionId; readonly followers: Followers };

type OfKind<Kind extends NodeMessage['kind']> = Extract<NodeMessage, { kind: Kind }>;

export type StreamMessage = OfKind<'stream'>;
export type DraftMessage = OfKind<'draft'>;
export type ClaimMessage = OfKind<'claim'>;
export type ResultWanted = OfKind<'result_wanted'>;
export type ResultTold = OfKind<'result_told'>;

/** Passes a message on to the other nodes, if there are any. */
export type TellNodes = (message: NodeMessage) => void;
