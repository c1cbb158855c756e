import {
  type AnswerCommand,
  type ChatEvent,
  type Command,
  type Decision,
  decide,
  emptyHead,
  eventVersion,
  type Facts,
  type Head,
  type Instant,
  type InteractionId,
  type Json,
  type NewEvent,
  type PastPrompt,
  type PromptDraft,
  reduceHead,
  type ToolCall,
} from '../../src/index.ts';
import { actor, approvalDraft, type DraftPart, matches, operator, sessionStart } from './samples.ts';

type AnswerParts = Partial<Omit<AnswerCommand, 'type' | 'answer'>> & Partial<AnswerCommand['answer']>;

/**
 * A session without a server: commands go to `decide`, and events into a log that is folded as it grows. The clock is a number.
 */
export class World {
  readonly log: ChatEvent[] = [];
  head: Head = emptyHead;
  now: Instant = sessionStart;
  /** Agent of the session. */
  agent = 'demo';
  #named = 0;

  /** Decides and, if accepted, appends. */
  do(command: Command): Decision {
    const decision = decide(this.head, command, this.facts);
    if (decision.kind === 'accepted') this.append(decision.events);
    return decision;
  }

  /** Returns the events of a command that must be accepted. */
  accept(command: Command): readonly ChatEvent[] {
    const before = this.log.length;
    const decision = this.do(command);
    if (decision.kind !== 'accepted') throw new Error(`${command.type} was ${decision.kind}: ${codeOf(decision)}`);
    return this.log.slice(before);
  }

  append(events: readonly (NewEvent | { type: string; payload: object })[]): void {
    for (const event of events) {
      const seq = this.log.length + 1;
      const id = `01985f3c-0000-7000-8000-${String(seq).padStart(12, '0')}`;
      const timestamp = new Date(this.now).toISOString();
      const envelope = { seq, id, sessionId: 'session', timestamp, v: eventVersion };
      const stored: ChatEvent = JSON.parse(JSON.stringify({ ...envelope, ...event })); // as a store returns it
      this.log.push(stored);
      this.head = reduceHead(this.head, stored);
    }
  }

  name(kind: string): string {
    this.#named += 1;
    return `${kind}-${this.#named}`;
  }

  get facts(): Facts {
    const owner = this.head.turn?.owner ?? 'process'; // the process that took the turn over
    const plan = { turnId: `turn-${this.log.length + 1}`, agent: this.agent, model: 'demo-1', owner };
    return { now: this.now, matches, plan };
  }

  send(text = 'hello', messageId = this.name('message')): Decision {
    return this.do({ type: 'send', message: { messageId, text, origin: 'user', from: actor() } });
  }

  /** Starts a turn if none runs, writes one message with these calls and returns them. */
  call(count = 1): readonly ToolCall[] {
    if (!this.head.turn) this.send();
    const calls = Array.from({ length: count }, (): ToolCall => {
      return { toolCallId: this.name('call'), toolName: 'tool', args: {}, authorised: { by: 'tool' } };
    });
    const turnId = this.head.turn?.turnId ?? '';
    this.accept({ type: 'write', turnId, responseId: this.name('response'), blocks: [], calls });
    return calls;
  }

  /** Asks in this call, by default a new one; returns the prompt's id. */
  ask(draft: DraftPart = {}, toolCallId = (this.call()[0] as ToolCall).toolCallId): InteractionId {
    this.accept({ type: 'ask', draft: { ...approvalDraft, ...draft, toolCallId } as PromptDraft });
    return this.head.prompts.at(-1)?.request.interactionId ?? '';
  }

  /** Makes an approval by a client that is allowed to give it, unless `parts` differs. */
  answerCommand(interactionId: InteractionId, parts: AnswerParts = {}): AnswerCommand {
    const { action = 'approve', approvalScope, input, editedArgs, reason, annotations, files, ...rest } = parts;
    return {
      type: 'answer',
      callId: this.requestOf(interactionId)?.toolCallId ?? 'nowhere',
      interactionId,
      answerId: this.name('answer'),
      digest: undefined,
      answer: { action, approvalScope, input, editedArgs, reason, annotations, files },
      by: actor(),
      principal: operator,
      isEnabled: true,
      past: this.past(interactionId),
      pastVote: this.#findVote(interactionId, rest.answerId),
      ...rest,
    };
  }

  answer(interactionId: InteractionId, parts: AnswerParts = {}): Decision {
    return this.do(this.answerCommand(interactionId, parts));
  }

  /** Advances to the prompt's deadline and lets it claim the prompt. */
  expire(interactionId: InteractionId): Decision {
    const { expiresAt } = this.promptOf(interactionId);
    this.now = Date.parse(expiresAt ?? '');
    return this.do({ type: 'expire', interactionId, deadline: this.now });
  }

  /** Lets the tool continue and leaves its prompt answerable. */
  defer(interactionId: InteractionId, isQueued = true): Decision {
    const last = this.requestOf(interactionId);
    if (!last) throw new Error(`${interactionId} was never asked`);
    return this.do({ type: 'defer', last, message: 'later', isQueued, ttlMs: 7 * 86_400_000 });
  }

  /** Opens a prompt that became pending at its deadline. */
  askPending(draft: DraftPart = {}): InteractionId {
    const interactionId = this.ask(draft);
    this.expire(interactionId);
    this.defer(interactionId);
    return interactionId;
  }

  cancel(streamed: Extract<Command, { type: 'cancel' }>['streamed'] = []): Decision {
    return this.do({ type: 'cancel', responseId: 'response', streamed });
  }

  endTurn(more: { readonly usage?: Json } = {}): Decision {
    return this.do({
      type: 'end_turn',
      turnId: this.head.turn?.turnId ?? '',
      status: 'completed',
      ...more,
    });
  }

  promptOf(interactionId: InteractionId) {
    const prompt = this.head.prompts.find(({ request }) => request.interactionId === interactionId);
    if (!prompt) throw new Error(`${interactionId} is not open`);
    return prompt;
  }

  requestOf(interactionId: InteractionId) {
    return this.eventsOf('interaction_request').find(({ payload }) => payload.interactionId === interactionId)?.payload;
  }

  past(interactionId: InteractionId): PastPrompt | undefined {
    const request = this.requestOf(interactionId);
    const settlement = this.settlementsOf(interactionId)[0];
    return request && settlement && { request, settlement };
  }

  #findVote(interactionId: InteractionId, answerId: string | undefined) {
    return this.eventsOf('interaction_vote').find(
      ({ payload }) => payload.interactionId === interactionId && payload.answerId === answerId,
    );
  }

  settlementsOf(interactionId: InteractionId) {
    return [...this.eventsOf('interaction_response'), ...this.eventsOf('interaction_closed')].filter(
      ({ payload }) => payload.interactionId === interactionId,
    );
  }

  eventsOf<Type extends ChatEvent['type']>(type: Type): ChatEvent<Type>[] {
    return this.log.filter((event): event is ChatEvent<Type> => event.type === type);
  }

  types(from = 0): string[] {
    return this.log.slice(from).map(({ type }) => type);
  }
}

/** Returns the refusal's code, or the decision's kind. */
export function codeOf(decision: Decision): string {
  return decision.kind === 'refused' ? decision.refusal.code : decision.kind;
}

export function detailsOf(decision: Decision): unknown {
  return decision.kind === 'refused' ? decision.refusal.details : undefined;
}
