import { ToolError, toToolError } from '../basics/error.ts';
import type { InteractionId } from '../basics/id.ts';
import { isRecord, type Json } from '../basics/json.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import { giverOf } from '../prompt/grant.ts';
import { riskLevel } from '../prompt/interaction.ts';
import { mayEdit } from '../prompt/role.ts';
import { type CallArgs, isSameJson, type ReadCall, readAgain, showArgs } from '../schema/call-args.ts';
import type { CallDescription, InteractionDemand, Outcome } from './demand.ts';

/** An answer to a demand whose edits are judged. */
export interface EditAnswer extends InteractionAnswer {
  /** What `editedArgs` were read as, where they were asked about as a request of their own. */
  readonly readArgs?: Json;
  /** What that request showed. */
  readonly shown?: CallDescription;
}

/** What a person made of the arguments, and what the tool read. */
export type Edit = Pick<CallArgs, 'written' | 'json'>;

interface AskedEdit extends Edit {
  readonly shown: CallDescription;
}

/** What is asked about an edit beside the arguments: nothing where it looks as what was shown. */
export type FollowEdit = (args: CallArgs) => Promise<Pick<CallDescription, 'title' | 'subject'> | undefined>;

/** What edits are judged with. */
export interface EditDesk {
  readonly read: ReadCall;
  /** How the tool puts a call with these arguments; empty where it says nothing of it. */
  describe(args: CallArgs): Promise<CallDescription>;
  /** How what was edited looks, where the tool's author says so (PLG13). */
  readonly follow?: FollowEdit | undefined;
  /** Keeps an edit before it is asked about: a handler that comes back finds it. */
  record(edit: Edit): Promise<void>;
  /** The edit that the newest prompt of an earlier process asks about. */
  recall(): (AskedEdit & { readonly interactionId: InteractionId }) | undefined;
}

/**
 * The same demand, whose edits are judged by what the tool reads of them, and how it describes that. An edit that is read as something
 * else than what was typed, that looks other than what was shown, or is of a higher risk, does not run: it is asked about as a
 * request of its own, with its editor among the requesters, so that nobody consents to what they were not shown, or alone to a high
 * risk that they chose (APR2, TEAM2). A yes to that counts once, and for exactly what it shows. An edit of which the tool says no
 * risk is of a high one to all who could not edit there, and to the others as it was shown.
 */
export function askAboutEdits(demand: InteractionDemand, desk: EditDesk): InteractionDemand {
  const { editable, onResponse, risk } = demand;
  if (!editable || !onResponse) return demand;
  const recalled = desk.recall();
  let asked: AskedEdit | undefined;
  const ask = async (edited: CallArgs, shown: CallDescription, why: string): Promise<Outcome> => {
    const { written, json } = edited;
    await desk.record({ written, json });
    asked = { written, json, shown };
    return {
      reprompt: { ...shown, ...askedOnce, error: `The arguments ${why}: this asks about them as they are shown here.` },
    };
  };
  return {
    ...demand,
    async onResponse(answer): Promise<Outcome> {
      const outcome = await onResponse(answer);
      const { action, editedArgs, interactionId } = answer;
      if (action !== 'approve' || !isRecord(outcome) || !('complete' in outcome)) return outcome;
      if (editedArgs === undefined) {
        const edit = asked ?? (recalled?.interactionId === interactionId ? recalled : undefined);
        if (!edit) return outcome;
        const { written, json, shown } = edit;
        return { complete: { ...answer, editedArgs: written, readArgs: json, shown } satisfies EditAnswer };
      }
      const looks = async () => {
        const edited = await desk.read(editedArgs);
        return { edited, described: await desk.describe(edited), followed: await desk.follow?.(edited) };
      };
      const looked = await looks().catch((error: unknown) => ({ fault: toToolError(error).message }));
      if ('fault' in looked) return { reprompt: { error: looked.fault } };
      const { edited, described, followed } = looked;
      const isRead = isSameJson(edited.json, editedArgs);
      const subject = showArgs(edited.json);
      if (!isRunAsShown(described.risk, risk, answer)) {
        const why = `were changed, and ${described.risk ? 'are of a higher risk now' : 'nobody can say at what risk'}`;
        const looks = {
          title: undefined,
          prompt: undefined,
          subject,
          ...followed,
          risk: 'high',
          ...described,
        } as const;
        return ask(edited, looks, why);
      }
      if (isRead && !followed) return outcome;
      const looksAs = followed ?? { subject, ...described };
      const { title, prompt } = demand;
      return ask(
        edited,
        { title, prompt, risk, ...looksAs },
        isRead ? 'were changed' : 'are read as something else than was typed',
      );
    },
  };
}

/**
 * The arguments of an answer that changed them, as they were approved.
 * @throws ToolError `interrupted` where the tool reads something else now: that was not approved
 */
export async function readApproved(
  read: ReadCall,
  { editedArgs: written = null, readArgs: json = written }: EditAnswer,
) {
  const args = await readAgain(read, { written, json });
  if (isSameJson(args.json, json)) return args;
  throw new ToolError(
    'interrupted',
    'The tool reads the arguments that a person approved as something else now: nothing was run. Call it again to ask again.',
  );
}

function isRunAsShown(
  risk: CallDescription['risk'],
  shown: CallDescription['risk'],
  { by, approvalScope: scope = 'once' }: InteractionAnswer,
): boolean {
  if (risk === undefined) return mayEdit(giverOf({ scope, by }), { risk: 'high' });
  return riskLevel(risk) <= riskLevel(shown);
}

/** It cannot be edited again, and that tells it from the first request of its slot. */
const askedOnce: Pick<InteractionDemand, 'approvalScopes' | 'rules' | 'editable'> = {
  approvalScopes: ['once'],
  rules: [],
  editable: false,
};
