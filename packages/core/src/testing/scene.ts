import type { Json } from '../basics/json.ts';
import type { CodedError } from '../log/event.ts';
import type { PendingResult } from '../plugin/demand.ts';
import type { Edit } from '../plugin/edited-args.ts';
import type { CallResult, InnerCall, Tool } from '../plugin/tool.ts';
import type { UnawaitedCall } from '../plugin/unawaited-calls.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import type { PlayedCallbacks } from './callbacks.ts';
import type { Prompt } from './prompt.ts';
import type { Stage } from './stage.ts';

/** State of a slot that survives a crash, so that another run of the handler finds it (DUR5). */
export interface Slot {
  readonly digest: string;
  prompt: Prompt;
  resolution?: { readonly value: Json } | { readonly error: CodedError };
  pending?: PendingResult;
}

/** State that survives a crash. */
export interface Records {
  readonly callbacks: PlayedCallbacks;
  /** Parsed arguments as people were shown them; undefined before the tool parsed them. */
  args?: Json;
  /** The edit that each slot's newest prompt asks about. */
  readonly edits: Map<string, Edit>;
  readonly steps: Map<string, { readonly value: Json }>;
  readonly recalled: Map<string, Json>;
  readonly callTool: ((call: InnerCall) => Promise<CallResult>) | undefined;
}

/** The played call as a run of its handler sees it. */
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
  /** Voids earlier consents, because the tool parses the arguments differently from what was shown (APR2). */
  voidConsents(): void;
  /** Shows an open prompt to a person: for the first time, or again after a crash. */
  meet(prompt: Prompt): void;
  keepGrant(prompt: Prompt, answer: InteractionAnswer): void;
  followUp(prompt: Prompt, answer: InteractionAnswer): void;
  /** Reports a call of the context that the handler did not await (PLG8). */
  reportUnawaited(unheard: UnawaitedCall): void;
  /** Removes what people typed as secrets. */
  redact<T>(value: T): T;
}
