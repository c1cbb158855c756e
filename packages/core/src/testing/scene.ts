import type { Json } from '../basics/json.ts';
import type { CodedError } from '../log/event.ts';
import type { PendingResult } from '../plugin/demand.ts';
import type { Edit } from '../plugin/edited-args.ts';
import type { Unheard } from '../plugin/heard-calls.ts';
import type { CallResult, InnerCall, Tool } from '../plugin/tool.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import type { PlayedCallbacks } from './callbacks.ts';
import type { Prompt } from './prompt.ts';
import type { Stage } from './stage.ts';

/** What a slot of a call came to, as far as it is kept: another run of the handler finds it (DUR5). */
export interface Slot {
  readonly digest: string;
  prompt: Prompt;
  resolution?: { readonly value: Json } | { readonly error: CodedError };
  pending?: PendingResult;
}

/** What outlives the process. */
export interface Records {
  readonly callbacks: PlayedCallbacks;
  /** What the tool read of the arguments, and people were shown; undefined before it did. */
  args?: Json;
  /** By slot: the edit that its newest prompt asks about. */
  readonly edits: Map<string, Edit>;
  readonly steps: Map<string, { readonly value: Json }>;
  readonly recalled: Map<string, Json>;
  readonly callTool: ((call: InnerCall) => Promise<CallResult>) | undefined;
}

/** What a run of a handler knows of the call that is played. */
export interface Scene {
  readonly stage: Stage;
  readonly tool: Tool;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: Json;
  readonly effects: Record<string, number>;
  readonly progress: string[];
  readonly slots: Map<string, Slot>;
  readonly records: Records;
  nextInteractionId(slot: string): string;
  addPrompt(prompt: Prompt): void;
  /** The tool reads other arguments than were shown: no consent of before counts (APR2). */
  setConsentsAside(): void;
  /** A person sees an open prompt: for the first time, or again after a crash. */
  meet(prompt: Prompt): void;
  keepGrant(prompt: Prompt, answer: InteractionAnswer): void;
  followUp(prompt: Prompt, answer: InteractionAnswer): void;
  /** Its handler did not await something of its context (PLG8). */
  reportUnheard(unheard: Unheard): void;
  /** Takes out what people typed as secrets. */
  redact<T>(value: T): T;
}
