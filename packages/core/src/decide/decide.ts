import { nameLateMessage } from '../basics/id.ts';
import { findCall, type Head, type QueuedMessage } from '../log/head.ts';
import { outsideAgent } from '../log/outside.ts';
import { personOf } from '../prompt/role.ts';
import { accept, type Command, type Decision, type Facts, refuse } from './command.ts';
import { decideAnswer } from './decide-answer.ts';
import { decideComment } from './decide-comment.ts';
import { decideDenyAll } from './decide-deny-all.ts';
import { decideCall, decideWithdraw } from './decide-outside.ts';
import {
  decideAsk,
  decideClose,
  decideDefer,
  decideEscalation,
  decideExpiry,
  decideReprompt,
  decideRetraction,
} from './decide-prompt.ts';
import {
  decideCancel,
  decideEnd,
  decideResume,
  decideReturn,
  decideSend,
  decideSessionEnd,
  decideWrite,
  hasRoom,
  isBlank,
  refuseBlank,
  sendOrQueue,
} from './decide-turn.ts';

type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

/**
 * Decides what a command does to a session in this state. Total and pure. The writer folds the events at once and publishes
 * nothing before they are stored (EVT2).
 */
export function decide(head: Head, command: Command, facts: Facts): Decision {
  if (isOfRunner(command) && head.turn && head.turn.owner !== facts.plan.owner) return refuse('closed'); // mutant: runner
  switch (command.type) {
    case 'send':
      return decideSend(head, command, facts);
    case 'edit_queued':
      return decideEdit(head, command);
    case 'remove_queued':
      return findOwn(head, command.messageId)
        ? accept({ type: 'message_unqueued', payload: { messageId: command.messageId, reason: 'removed' } })
        : refuse('not_found');
    case 'write':
      return decideWrite(head, command);
    case 'return':
      return decideReturn(head, command);
    case 'call':
      return decideCall(head, command, facts);
    case 'withdraw':
      return decideWithdraw(head, command);
    case 'resume':
      return decideResume(head, command);
    case 'ask':
      return decideAsk(head, command, facts.now);
    case 'answer':
      return decideAnswer(head, command, facts);
    case 'deny_all':
      return decideDenyAll(head, command, facts);
    case 'comment':
      return decideComment(head, command);
    case 'expire':
      return decideExpiry(head, command);
    case 'escalate':
      return decideEscalation(head, command);
    case 'close_expired':
      return decideClose(head, command);
    case 'retract':
      return decideRetraction(head, command);
    case 'reprompt':
      return decideReprompt(head, command, facts.now);
    case 'defer':
      return decideDefer(head, command, facts.now);
    case 'follow_up':
      return decideFollowUp(head, command, facts);
    case 'cancel':
      return decideCancel(head, command, facts);
    case 'settle_callback':
      return decideCallback(head, command);
    case 'record':
      return command.toolCallIds.every((id) => findCall(head, id)) ? accept() : refuse('closed');
    case 'end_session':
      return decideSessionEnd(head);
    case 'end_turn':
      return decideEnd(head, command, facts);
    case 'change':
      return decideChange(command, facts);
    case 'report':
      return accept({ type: 'error', payload: command.error, turnId: command.turnId });
    default:
      return command satisfies never;
  }
}

const ofRunner: ReadonlySet<Command['type']> = new Set([
  'write',
  'return',
  'ask',
  'reprompt',
  'defer',
  'close_expired',
  'retract',
  'record',
  'end_turn',
]);

/**
 * Whether only the process that runs the turn may send this command. A process that was presumed dead and resumes can change
 * nothing.
 */
function isOfRunner({ type }: Command): boolean {
  return ofRunner.has(type);
}

/**
 * Changes the session. In an outside session only its title and its place in lists may change, because nothing else applies
 * (ASK1).
 */
function decideChange({ change }: CommandOf<'change'>, { plan }: Facts): Decision {
  const isMore = change.agent !== undefined || change.permissionMode !== undefined;
  return isMore && plan.agent === outsideAgent
    ? refuse('not_supported')
    : accept({ type: 'session_changed', payload: change });
}

/**
 * Edits a queued message, by its author or by an operator, who is then named: nobody's words appear under another's name (TEAM2).
 */
function decideEdit(head: Head, { messageId, text, by, principal }: CommandOf<'edit_queued'>): Decision {
  const message = findOwn(head, messageId);
  if (!message) return refuse('not_found');
  const { seq: _, ...payload } = message;
  const isAuthor = message.from !== undefined && personOf(message.from) === personOf(by);
  if (!isAuthor && principal.role !== 'operator') return refuse('forbidden');
  if (isBlank({ ...message, text })) return refuseBlank();
  const others = head.queue.filter((other) => other !== message);
  if (!hasRoom(others, { ...message, text })) return refuse('queue_full', { limit: 'queuedBytes' });
  const { editedBy = [] } = message;
  const isNew = !isAuthor && editedBy.every((editor) => personOf(editor) !== personOf(by));
  const editors = isNew ? { editedBy: [...editedBy, by] } : {};
  return accept({ type: 'message_queued', payload: { ...payload, ...editors, text, isEdit: true } });
}

/**
 * Finds a queued message that a person wrote. A late answer's message records what was answered, so nobody may edit or remove it
 * (INT9).
 */
function findOwn(head: Head, messageId: string): QueuedMessage | undefined {
  return head.queue.find((message) => message.messageId === messageId && message.origin === 'user');
}

/** Records the first callback; refuses more, and any after the call has ended or the wait has timed out (PLG11). */
function decideCallback(head: Head, { toolCallId, key, outcome }: CommandOf<'settle_callback'>): Decision {
  const call = findCall(head, toolCallId);
  if (!call || call.callbacks?.some((settled) => settled.key === key)) return refuse('closed');
  const { turnId, responseId } = call;
  return accept({ type: 'callback_settled', payload: { toolCallId, key, outcome }, turnId, responseId });
}

/** Adds exactly one message per late answer, whether its hook or the time limit comes first (INT9). */
function decideFollowUp(head: Head, command: CommandOf<'follow_up'>, { plan }: Facts): Decision {
  const late = head.lateAnswers.find((answer) => answer.response.interactionId === command.interactionId);
  if (!late) return accept();
  const { by, interactionId } = late.response;
  const message = {
    messageId: nameLateMessage(interactionId),
    text: command.text,
    origin: 'interaction',
    interactionId,
    from: by,
  } as const;
  return accept(...sendOrQueue(head, message, plan, late.requesters));
}
