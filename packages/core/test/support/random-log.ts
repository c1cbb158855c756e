import fc from 'fast-check';
import type { ChatEvent, InteractionId, InteractionRequest, StoredAssertion } from '../../src/index.ts';
import { actor, approvalDraft, inputDraft, operator, urlDraft } from './samples.ts';
import { World } from './world.ts';

/** A random event; `pick` chooses among the options of the moment. */
export interface Move {
  readonly kind: (typeof moveKinds)[number];
  readonly pick: number;
  readonly flag: boolean;
}

const moveKinds = [
  'send',
  'call',
  'ask',
  'ask',
  'answer',
  'answer',
  'repeat',
  'tick',
  'expire',
  'expire',
  'escalate',
  'comment',
  'callback',
  'complete',
  'reprompt',
  'defer',
  'supersede',
  'return',
  'follow',
  'cancel',
  'end',
  'edit',
  'remove',
  'resume',
  'change',
  'unknown',
] as const;

/** A prompt that needs two votes and escalates. */
const votesDraft = {
  ...approvalDraft,
  decide: { approve: 2 },
  audience: { principals: ['owner', 'second'] },
  escalate: [{ afterMs: 1000, audience: { role: 'operator' as const } }],
};
const voters = [operator, { id: 'second', role: 'responder' }, { id: 'boss', role: 'operator' }] as const;

const drafts = [approvalDraft, inputDraft, urlDraft, votesDraft];
const answers = [
  { action: 'approve', approvalScope: 'session' },
  { action: 'approve' },
  { action: 'deny', reason: 'no' },
  { action: 'submit', input: { city: 'Bern', pin: '4711' } },
  { action: 'submit', input: {} },
  { action: 'cancel' },
] as const;

const assertion: StoredAssertion = {
  ...{ credentialId: 'key', publicKey: 'cose', origin: 'https://parley.example' },
  ...{ authenticatorData: 'data', clientDataJSON: 'client', signature: 'sig' },
};

/** A session with random events that a server would allow: hooks run only for claimed prompts. */
export class RandomSession extends World {
  /** Claimed prompts whose hook has not decided yet. */
  readonly #undecided = new Map<InteractionId, InteractionRequest>();
  /** All prompts that were ever asked, for answers that come too late. */
  readonly asked: InteractionId[] = [];
  readonly #answerIds: [InteractionId, string][] = [];

  play({ kind, pick, flag }: Move): void {
    switch (kind) {
      case 'send':
        this.send(`text ${pick}`);
        break;
      case 'call':
        this.#write(pick % 4, flag);
        break;
      case 'ask':
        this.#ask(pick, flag);
        break;
      case 'supersede':
        this.#supersede(pick);
        break;
      case 'answer':
        this.#answer(pick, flag);
        break;
      case 'repeat':
        this.#repeat(pick, flag);
        break;
      case 'tick':
        this.now += pick * 1000;
        break;
      case 'expire':
        this.#expire(pick);
        break;
      case 'escalate':
        this.#escalate(pick);
        break;
      case 'comment':
        this.#comment(pick);
        break;
      case 'callback':
        this.#settleCallback(pick, flag);
        break;
      case 'complete':
      case 'reprompt':
      case 'defer':
        this.#conclude(kind, pick, flag);
        break;
      case 'return':
        this.#return(pick, flag);
        break;
      case 'follow':
        this.#follow(pick);
        break;
      case 'cancel':
        this.cancel(flag ? [{ kind: 'text', block: 0, text: 'I was' }] : []);
        break;
      case 'end':
        this.#end(flag);
        break;
      case 'edit':
      case 'remove':
        this.#changeQueue(kind, pick);
        break;
      case 'resume':
        this.do({ type: 'resume', owner: `process-${pick}`, isRewritten: flag });
        break;
      case 'change':
        this.do({ type: 'change', change: { title: `title ${pick}`, by: actor() } });
        break;
      case 'unknown':
        this.append([{ type: 'weather', payload: { sky: pick, deep: { kept: flag } } }]);
        break;
      default:
        kind satisfies never;
    }
  }

  /** Settles everything that is unfinished, in the ways in which a session can become idle. */
  settle(): void {
    while (this.head.turn) {
      for (const { toolCallId } of this.head.calls) this.do({ type: 'return', toolCallId, returned: { result: null } });
      this.#end(false);
    }
    for (const { request } of this.head.prompts)
      this.answer(request.interactionId, { action: 'cancel', digest: request.digest });
    for (const { response } of this.head.lateAnswers) this.#say(response.interactionId);
    if (this.head.turn) this.settle();
  }

  #write(count: number, flag: boolean): void {
    const { turn } = this.head;
    if (!turn) return;
    if (!flag) this.call(count);
    else
      this.do({
        type: 'write',
        turnId: turn.turnId,
        responseId: this.name('response'),
        blocks: [
          { kind: 'thinking', block: 0, text: 'hm' },
          { kind: 'text', block: 1, text: 'Hello' },
        ],
        calls: [],
      });
  }

  #draft(pick: number, flag: boolean) {
    const { timeoutMs: _, ...rest } = choose(drafts, pick) ?? approvalDraft;
    const toolCallId = choose(this.head.calls, pick)?.toolCallId ?? 'nowhere';
    const hasTimeoutHook = pick % 4 < 2;
    return {
      ...{ ...rest, toolCallId, slot: `${pick % 3}`, hasTimeoutHook },
      ...(flag && { timeoutMs: 1 + pick * 500 }),
      ...(pick % 5 === 0 && ({ stepUp: true } as const)),
    };
  }

  #ask(pick: number, flag: boolean): void {
    const draft = this.#draft(pick, flag);
    const gateId = `${draft.toolCallId}.0`;
    this.#open({ type: 'ask', draft, isGate: pick % 7 === 0 && !this.asked.includes(gateId) });
  }

  #supersede(pick: number): void {
    const prompt = choose(
      this.head.prompts.filter(({ state }) => state === 'open'),
      pick,
    );
    if (!prompt) return;
    const { toolCallId, interactionId } = prompt.request;
    this.#open({ type: 'ask', draft: { ...this.#draft(pick, false), toolCallId }, supersedes: interactionId });
  }

  #open(command: Parameters<World['do']>[0]): void {
    const from = this.log.length;
    this.do(command);
    for (const event of this.log.slice(from)) {
      if (event.type === 'interaction_request') this.asked.push(event.payload.interactionId);
    }
  }

  #answer(pick: number, flag: boolean): void {
    const id = choose(this.asked, pick);
    if (id === undefined) return;
    const prompt = this.head.prompts.find(({ request }) => request.interactionId === id);
    const command = this.answerCommand(id, {
      ...choose(answers, pick * 5 + (flag ? 1 : 0)),
      by: actor(`tab-${pick % 5}`),
      hasLateHook: flag,
      ...(pick % 4 > 0 && { stepUp: { assertion } }), // else a prompt that demands a passkey refuses it
      ...this.#voterOf(id, pick),
    });
    this.#answerIds.push([id, command.answerId]);
    const isAccepted = this.do(command).kind === 'accepted' && this.settlementsOf(id).length > 0;
    if (isAccepted && prompt?.state === 'open') this.#undecided.set(id, prompt.request);
  }

  /** Picks the voter for a prompt with several votes, from more people than are asked. */
  #voterOf(id: InteractionId, pick: number) {
    const request = this.requestOf(id);
    const principal = choose(voters, pick);
    if (!request?.decide || !principal) return {};
    return { principal, by: { ...actor(`tab-${pick % 5}`), principal: principal.id }, digest: request.digest };
  }

  #settleCallback(pick: number, flag: boolean): void {
    const { calls } = this.head;
    const toolCallId = calls[pick % Math.max(calls.length, 1)]?.toolCallId ?? 'none';
    this.do({ type: 'settle_callback', toolCallId, key: `key ${pick % 2}`, outcome: flag ? 'received' : 'timeout' });
  }

  #escalate(pick: number): void {
    const prompt = choose(
      this.head.prompts.filter(({ request }) => request.escalate),
      pick,
    );
    if (prompt) this.do({ type: 'escalate', interactionId: prompt.request.interactionId, step: 1 + (pick % 2) });
  }

  #comment(pick: number): void {
    const prompt = choose(this.head.prompts, pick);
    if (!prompt) return;
    const { interactionId, toolCallId } = prompt.request;
    const comment = { toolCallId, interactionId, commentId: this.name('comment'), text: `words ${pick}`, by: actor() };
    this.do({ type: 'comment', comment });
  }

  #repeat(pick: number, flag: boolean): void {
    const used = choose(this.#answerIds, pick);
    if (!used) return;
    const [id, answerId] = used;
    const stored = this.eventsOf('interaction_response').find(({ payload }) => payload.answerId === answerId)?.payload;
    if (!stored || flag) this.answer(id, { answerId, action: 'deny', reason: 'another' });
    else this.answer(id, { ...stored, late: undefined } as never);
  }

  #expire(pick: number): void {
    const prompt = choose(this.head.prompts, pick);
    if (!prompt) return;
    const { interactionId } = prompt.request;
    if (pick % 3 > 0 && prompt.expiresAt) this.now = Math.max(this.now, Date.parse(prompt.expiresAt));
    this.do({ type: 'expire', interactionId, deadline: this.now });
    if (this.head.prompts.some(({ request, state }) => request === prompt.request && state === 'expired')) {
      this.#undecided.set(interactionId, prompt.request);
    }
  }

  /** Applies a hook's decision to one claimed prompt; it may come after its call has ended. */
  #conclude(kind: 'complete' | 'reprompt' | 'defer', pick: number, flag: boolean): void {
    const last = choose([...this.#undecided.values()], pick);
    if (!last) return;
    this.#undecided.delete(last.interactionId);
    if (kind === 'reprompt') {
      this.#open({ type: 'reprompt', last, draft: { ...last, error: 'again', timeoutMs: flag ? 1000 : undefined } });
    } else if (kind === 'defer') {
      this.#open({ type: 'defer', last, message: 'later', isQueued: flag || pick % 2 === 0, ttlMs: 7 * 86_400_000 });
    } else {
      this.do({ type: 'close_expired', interactionId: last.interactionId, reason: flag ? 'timeout' : 'handler_error' });
    }
  }

  #return(pick: number, flag: boolean): void {
    const toolCallId = choose(this.head.calls, pick)?.toolCallId ?? 'nowhere';
    const error = { code: 'tool_error', message: 'broken' };
    this.do({
      type: 'return',
      toolCallId,
      returned: flag ? { result: { pick } } : { error },
      isOrphaned: pick % 5 === 0,
    });
  }

  #follow(pick: number): void {
    const late = choose(this.head.lateAnswers, pick);
    const id = late?.response.interactionId ?? choose(this.asked, pick);
    if (id !== undefined) this.#say(id);
  }

  #say(interactionId: InteractionId): void {
    this.do({ type: 'follow_up', interactionId, text: 'He said so.' });
  }

  #end(isFailed: boolean): void {
    if (this.head.calls.length > 0 && !isFailed) return; // a turn completes only after its calls
    const turnId = this.head.turn?.turnId ?? 'none';
    const error = { code: 'agent_error', message: 'gone' };
    if (isFailed) this.do({ type: 'end_turn', turnId, status: 'error', error });
    else this.do({ type: 'end_turn', turnId, status: 'completed', usage: { tokens: 1 } });
  }

  #changeQueue(kind: 'edit' | 'remove', pick: number): void {
    const messageId = choose(this.head.queue, pick)?.messageId ?? 'nowhere';
    if (kind === 'edit')
      this.do({ type: 'edit_queued', messageId, text: `edited ${pick}`, by: actor(), principal: operator });
    else this.do({ type: 'remove_queued', messageId });
  }
}

function choose<T>(from: readonly T[], pick: number): T | undefined {
  return from.length > 0 ? from[pick % from.length] : undefined;
}

/** Generates random moves; starts with a turn and two calls, so that most moves have an effect. */
export function arbitraryMoves(maxLength = 50): fc.Arbitrary<Move[]> {
  const move = fc.record({ kind: fc.constantFrom(...moveKinds), pick: fc.nat(100), flag: fc.boolean() });
  const beginning: Move[] = [
    { kind: 'send', pick: 0, flag: false },
    { kind: 'call', pick: 2, flag: false },
  ];
  return fc.array(move, { maxLength, size: 'max' }).map((moves) => [...beginning, ...moves]);
}

export function playAll(moves: readonly Move[]): RandomSession {
  const session = new RandomSession();
  for (const move of moves) session.play(move);
  return session;
}

/** Generates a log as `decide` writes it after random moves. */
export function arbitraryLog(maxLength?: number): fc.Arbitrary<readonly ChatEvent[]> {
  return arbitraryMoves(maxLength).map((moves) => playAll(moves).log);
}
