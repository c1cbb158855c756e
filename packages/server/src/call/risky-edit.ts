import {
  type CallDescription,
  type FollowEdit,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionId,
  isRecord,
  type Json,
  mayEdit,
  type Outcome,
  toToolError,
} from '@parleyhq/core';
import { giverOf } from '../grant/grant-book.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { describeCall } from './call-description.ts';
import type { CallWriter } from './call-writer.ts';
import { levelOf } from './gate-consent.ts';
import type { Journal } from './journal.ts';
import { showArgs } from './show-args.ts';

export interface EditOptions {
  readonly parts: { readonly journal: Journal; readonly writer: CallWriter };
  readonly registered: RegisteredTool;
  /** How long the tool may take for its `describe`. */
  readonly limitMs: number;
  /** How what was edited looks, where the tool's author says so (PLG13). */
  readonly follow?: FollowEdit | undefined;
}

/** An answer to such a demand. */
export interface EditAnswer extends InteractionAnswer {
  /** What was shown of an edit that was asked about as a request of its own. */
  readonly shown?: CallDescription;
}

interface AskedEdit {
  readonly args: Json;
  readonly shown: CallDescription;
}

/**
 * The same demand, whose edits are judged by how the tool describes them. One of a higher risk than was shown does not run: it is
 * asked about as a request of its own, with its editor among the requesters, so that nobody consents to a risk that they were
 * not shown, or alone to a high one that they chose (APR2, TEAM2). A yes to that counts once, and for exactly what it shows.
 * An edit of which the tool says no risk is of a high one to all who could not edit there, and to the others as it was shown.
 */
export function askAboutRiskyEdits(
  demand: InteractionDemand,
  slot: string,
  { parts, registered, limitMs, follow }: EditOptions,
): InteractionDemand {
  const { editable, onResponse, risk } = demand;
  if (!editable || !onResponse) return demand;
  const recalled = recallEdit(parts.journal, slot);
  let asked: AskedEdit | undefined;
  return {
    ...demand,
    async onResponse(answer): Promise<Outcome> {
      const outcome = await onResponse(answer);
      const { action, editedArgs, interactionId } = answer;
      if (action !== 'approve' || !isRecord(outcome) || !('complete' in outcome)) return outcome;
      if (editedArgs === undefined) {
        const edit = asked ?? (recalled?.interactionId === interactionId ? recalled : undefined);
        if (!edit) return outcome;
        return { complete: { ...answer, editedArgs: edit.args, shown: edit.shown } satisfies EditAnswer };
      }
      const looks = async () => ({
        described: await describeCall(registered, editedArgs, limitMs),
        followed: await follow?.(editedArgs),
      });
      const looked = await looks().catch((error: unknown) => ({ fault: toToolError(error).message }));
      if ('fault' in looked) return { reprompt: { error: looked.fault } };
      const { described, followed } = looked;
      const isAsShown = isRunAsShown(described.risk, risk, answer);
      if (isAsShown && !followed) return outcome;
      await parts.writer.record(editKey(slot), editedArgs); // before it is asked about: a handler that comes back finds it
      if (isAsShown && followed) {
        asked = { args: editedArgs, shown: { prompt: demand.prompt, risk, ...followed } };
        return { reprompt: { ...followed, ...askedOnce, error: editedWords } };
      }
      const shown = { subject: showArgs(editedArgs), ...followed, risk: 'high', ...described } as const;
      asked = { args: editedArgs, shown };
      return { reprompt: requestFor(shown, described.risk !== undefined) };
    },
  };
}

function isRunAsShown(
  risk: CallDescription['risk'],
  shown: CallDescription['risk'],
  { by, approvalScope: scope = 'once' }: InteractionAnswer,
): boolean {
  if (risk === undefined) return mayEdit(giverOf({ scope, by }), { risk: 'high' });
  return levelOf(risk) <= levelOf(shown);
}

const askedOnce: Pick<InteractionDemand, 'approvalScopes' | 'rules' | 'editable'> = {
  approvalScopes: ['once'],
  rules: [],
  editable: false,
};

const editedWords = 'The arguments were changed: this asks about them as they are shown here.';

/** What is asked about a riskier edit. It cannot be edited again, and that tells it from the first request of its slot. */
function requestFor(shown: CallDescription, isKnown: boolean): Extract<Outcome, { reprompt: unknown }>['reprompt'] {
  return {
    title: undefined,
    prompt: undefined,
    ...shown,
    ...askedOnce,
    error: `The arguments were changed, and ${isKnown ? 'are of a higher risk now' : 'nobody can say at what risk'}: this asks about them as they are shown here.`,
  };
}

/** The edit that the newest prompt of an earlier process asks about. */
function recallEdit(journal: Journal, slot: string): (AskedEdit & { interactionId: InteractionId }) | undefined {
  const last = journal.find(slot)?.last.request;
  const args = last?.editable === false ? journal.recorded(editKey(slot)) : undefined;
  if (!last || args === undefined) return undefined;
  const { interactionId, title, prompt, subject, risk } = last;
  return { interactionId, args, shown: { title, prompt, subject, risk } };
}

function editKey(slot: string): string {
  return `edit:${slot}`;
}
