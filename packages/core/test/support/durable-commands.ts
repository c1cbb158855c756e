import fc from 'fast-check';
import type { AnswerCommand, InteractionId } from '../../src/index.ts';
import { agree } from './agree.ts';
import { checkMoment } from './durable-check.ts';
import { type DurableModel, type Fate, type Known, unsettled } from './durable-model.ts';
import type { DurableSession, Follower } from './durable-session.ts';
import { codeOf } from './world.ts';

const pendingTtlMs = 7 * 86_400_000;

interface Context {
  readonly model: DurableModel;
  readonly session: DurableSession;
  /** Random number that chooses among the options of the moment. */
  readonly pick: number;
  readonly flag: boolean;
}

interface Move {
  /** Relative frequency. */
  readonly weight: number;
  /** Whether it is possible in the current state. */
  when?(model: DurableModel): boolean;
  play(context: Context): void;
}

const anyFate: Fate[] = [...unsettled, 'answered', 'closed', 'replaced'];
const actions = ['approve', 'approve', 'deny', 'cancel', 'submit'] as const; // nobody submits an approval

export const moves: Readonly<Record<string, Move>> = {
  ask: {
    weight: 5,
    play({ model, session, pick, flag }) {
      const [running] = model.facts.calls;
      const [call] = running === undefined || flag ? session.call() : [{ toolCallId: running }];
      const toolCallId = call?.toolCallId ?? '';
      model.startCall(toolCallId);
      const timeoutMs = pick % 5 === 0 ? undefined : 1000 * pick;
      const hasHook = pick % 4 < 2;
      const draft = { timeoutMs: timeoutMs as number, slot: `${pick}`, hasTimeoutHook: hasHook };
      const id = session.ask(draft, toolCallId);
      addPrompt({ model, session }, id, { call: toolCallId, fate: 'open', hasHook, ...deadline(session, timeoutMs) });
    },
  },
  answer: {
    weight: 6,
    when: (model) => model.list(...unsettled).length > 0,
    play: (context) => answer(context, choose(context.model.list(...unsettled), context.pick)[0]),
  },
  'late answer': {
    weight: 2,
    when: (model) => model.list('pending').length > 0,
    play: (context) => answer(context, choose(context.model.list('pending'), context.pick)[0]),
  },
  'answer again': {
    weight: 3,
    when: (model) => model.list(...anyFate).length > 0,
    play: (context) => answer(context, choose(context.model.list(...anyFate), context.pick)[0]),
  },
  'send again': {
    weight: 3,
    when: (model) => model.sent.length > 0,
    play({ model, session, pick, flag }) {
      const { answerId, interactionId, answer, hasLateHook = false } = choose(model.sent, pick);
      const reason = flag && pick % 3 === 0 ? 'another' : answer.reason;
      submit({ model, session }, session.answerCommand(interactionId, { ...answer, reason, answerId, hasLateHook }));
    },
  },
  timeout: {
    weight: 5,
    when: (model) => model.list(...unsettled).length > 0,
    play({ model, session, pick }) {
      const [interactionId, { fate, due, hasHook }] = choose(model.list(...unsettled), pick);
      if (due !== undefined && pick % 4 > 0) session.now = Math.max(session.now, due);
      session.accept({ type: 'expire', interactionId, deadline: session.now });
      const isDue = due !== undefined && due <= session.now && fate !== 'deciding';
      if (isDue) model.change(interactionId, { fate: fate === 'open' && hasHook ? 'deciding' : 'closed' });
    },
  },
  complete: {
    weight: 1,
    when: (model) => model.list('deciding').length > 0,
    play({ model, session, pick }) {
      const [interactionId] = choose(model.list('deciding'), pick);
      session.accept({ type: 'close_expired', interactionId, reason: 'timeout' });
      model.change(interactionId, { fate: 'closed' });
    },
  },
  reprompt: {
    weight: 3,
    when: (model) => findClaimed(model).length > 0,
    play({ model, session, pick }) {
      const [id, known] = choose(findClaimed(model), pick);
      const last = session.requestOf(id);
      if (!last) throw new Error(`${id} was never asked`);
      const decision = session.do({ type: 'reprompt', last, draft: { ...last, timeoutMs: 2000 } });
      agree(codeOf(decision), model.runs(known) ? 'accepted' : 'closed');
      if (decision.kind !== 'accepted') return;
      model.change(id, { isFollowed: true, ...(known.fate === 'deciding' && { fate: 'replaced' }) });
      const next = session.head.prompts.at(-1)?.request.interactionId ?? '';
      const hasHook = last.hasTimeoutHook;
      addPrompt({ model, session }, next, { call: known.call, fate: 'open', hasHook, ...deadline(session, 2000) });
    },
  },
  pending: {
    weight: 3,
    when: (model) => findClaimed(model).length > 0,
    play({ model, session, pick }) {
      const [id, known] = choose(findClaimed(model), pick);
      const isQueued = pick % 4 > 0;
      const decision = session.defer(id, isQueued);
      agree(codeOf(decision), model.runs(known) ? 'accepted' : 'closed');
      if (decision.kind !== 'accepted') return;
      const due = session.now + pendingTtlMs;
      if (known.fate === 'deciding') model.change(id, isQueued ? { fate: 'pending', due } : { fate: 'closed' });
      else model.change(id, { isFollowed: true });
      if (known.fate === 'deciding' || !isQueued) return;
      const next = session.head.prompts.at(-1)?.request.interactionId ?? '';
      addPrompt({ model, session }, next, { call: known.call, fate: 'pending', due });
    },
  },
  'late hook': {
    weight: 1,
    when: (model) => model.findUnsaid().length > 0,
    play({ model, session, pick }) {
      const interactionId = choose(model.findUnsaid(), pick);
      session.accept({ type: 'follow_up', interactionId, text: 'He said so.' });
      model.change(interactionId, { isUnsaid: false });
      model.say();
    },
  },
  return: {
    weight: 1,
    when: (model) => model.facts.calls.size > 0,
    play({ model, session, pick, flag }) {
      const toolCallId = choose([...model.facts.calls], pick);
      session.accept({ type: 'return', toolCallId, returned: { result: null }, isOrphaned: flag });
      model.endCall(toolCallId);
    },
  },
  cancel: {
    weight: 1,
    play({ model, session }) {
      agree(codeOf(session.cancel()), model.facts.hasTurn ? 'accepted' : 'no_turn');
      if (model.facts.hasTurn) model.endTurn();
    },
  },
  'turn ends': {
    weight: 1,
    when: ({ facts }) => facts.hasTurn && facts.calls.size === 0,
    play({ model, session }) {
      agree(codeOf(session.endTurn()), 'accepted');
      model.endTurn();
    },
  },
  commit: {
    weight: 6,
    play({ model, session, flag }) {
      session.commit(flag);
      model.commit();
    },
  },
  'failed commit': {
    weight: 1,
    play({ model, session }) {
      session.fallBack();
      model.fallBack();
    },
  },
  CRASH: {
    weight: 4,
    play({ model, session }) {
      session.crash();
      model.fallBack();
    },
  },
  disconnect: {
    weight: 1,
    play: ({ session, pick }) => {
      choose<Follower>(session.followers, pick).isOnline = false;
    },
  },
  RECONNECT: {
    weight: 3,
    play: ({ session, pick }) => session.connect(choose(session.followers, pick)),
  },
};

/** Adds a prompt, after checking that its id was never visible for another. */
function addPrompt({ model }: Pick<Context, 'model' | 'session'>, id: InteractionId, known: Known): void {
  agree(model.facts.prompts.has(id), false);
  model.setPrompt(id, known);
}

/** Returns the prompts whose hook has not decided yet. */
function findClaimed(model: DurableModel): [InteractionId, Known][] {
  return model.list('deciding', 'answered').filter(([, { isFollowed, isLate }]) => !isFollowed && !isLate);
}

function answer({ model, session, pick, flag }: Context, id: InteractionId): void {
  const action = actions[pick % actions.length] ?? 'approve';
  submit({ model, session }, session.answerCommand(id, { action, hasLateHook: flag }));
}

/** Submits an answer: the first response wins, and late ones get a refusal with the right code. */
function submit({ model, session }: Pick<Context, 'model' | 'session'>, command: AnswerCommand): void {
  const { interactionId: id, answerId } = command;
  const known = model.facts.prompts.get(id);
  const expected = expectReply(known, command);
  agree([answerId, id, codeOf(session.submit(command))], [answerId, id, expected]);
  model.played.add(expected);
  if (!model.sent.some((other) => other.answerId === answerId)) model.sent.push(command);
  if (expected !== 'accepted') return;
  const isLate = known?.fate === 'pending';
  const isSaid = isLate && command.answer.action !== 'cancel';
  const { reason } = command.answer;
  model.change(id, {
    fate: 'answered',
    winner: answerId,
    reason,
    isLate,
    ...(isSaid && { isUnsaid: command.hasLateHook ?? false }),
  });
  if (isSaid && !command.hasLateHook) model.say();
}

function expectReply(known: Known | undefined, command: AnswerCommand): string {
  if (!known) return 'not_found';
  if (known.winner === command.answerId) {
    return known.reason === command.answer.reason ? 'repeated' : 'idempotency_conflict';
  }
  switch (known.fate) {
    case 'answered':
      return 'already_answered';
    case 'replaced':
      return 'stale';
    case 'closed':
      return 'closed';
    case 'deciding':
      return 'retry_later';
    case 'open':
    case 'pending':
      return command.answer.action === 'submit' ? 'invalid' : 'accepted';
    default:
      return known.fate satisfies never;
  }
}

function deadline(session: DurableSession, timeoutMs: number | undefined): { due?: number } {
  return timeoutMs === undefined ? {} : { due: session.now + timeoutMs };
}

function choose<T>(from: readonly T[], pick: number): T {
  return from[pick % from.length] as T;
}

class Step implements fc.Command<DurableModel, DurableSession> {
  readonly #name: string;
  readonly #move: Move;
  readonly #pick: number;
  readonly #flag: boolean;

  constructor(name: string, move: Move, pick: number, flag: boolean) {
    this.#name = name;
    this.#move = move;
    this.#pick = pick;
    this.#flag = flag;
  }

  check(model: DurableModel): boolean {
    return this.#move.when?.(model) ?? true;
  }

  run(model: DurableModel, session: DurableSession): void {
    model.played.add(this.#name);
    this.#move.play({ model, session, pick: this.#pick, flag: this.#flag });
    checkMoment(model, session);
  }

  toString(): string {
    return `${this.#name} ${this.#pick}${this.#flag ? '!' : ''}`;
  }
}

export type Story = Iterable<fc.Command<DurableModel, DurableSession>>;

/** Generates what happens to a session and its server, in any possible order. */
export function arbitraryStory(maxCommands: number): fc.Arbitrary<Story> {
  const steps = Object.entries(moves).flatMap(([name, move]) => {
    const step = fc.tuple(fc.nat(100), fc.boolean()).map(([pick, flag]) => new Step(name, move, pick, flag));
    return Array.from({ length: move.weight }, () => step);
  });
  return fc.commands(steps, { maxCommands, size: 'max' });
}
