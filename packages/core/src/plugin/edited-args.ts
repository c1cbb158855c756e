import { ToolError, toToolError } from '../basics/error.ts';
import type { InteractionId } from '../basics/id.ts';
import { isRecord, type Json } from '../basics/json.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import { giverOf } from '../prompt/grant.ts';
import { riskLevel } from '../prompt/interaction.ts';
import { mayEdit } from '../prompt/role.ts';
import { type CallArgs, isSameJson, type ReadCall, readAgain, showArgs } from '../schema/call-args.ts';
import type { CallDescription, InteractionDemand, Outcome } from './demand.ts';

/** An answer whose edited arguments were checked. */
export interface EditAnswer extends InteractionAnswer {
  /** Parsed `editedArgs`, if they were asked about in a prompt of their own. */
  readonly readArgs?: Json;
  /** What that prompt showed. */
  readonly shown?: CallDescription;
}

/** Edited arguments as written and as parsed. */
export type Edit = Pick<CallArgs, 'written' | 'json'>;

interface AskedEdit extends Edit {
  readonly shown: CallDescription;
}

/** Returns the title and subject of an edit; undefined if they are the same as those shown. */
export type FollowEdit = (args: CallArgs) => Promise<Pick<CallDescription, 'title' | 'subject'> | undefined>;

/** Services for checking edits. */
export interface EditHandlers {
  readonly read: ReadCall;
  /** Returns the tool's description of a call with these arguments; empty if it gives none. */
  describe(args: CallArgs): Promise<CallDescription>;
  /** How the tool describes the edited arguments, if it recomputes title or subject (PLG13). */
  readonly follow?: FollowEdit | undefined;
  /** Whether a prompt of this risk demands no passkey although one of high risk would (SIGN2). */
  escapesPasskey(risk: CallDescription['risk']): boolean;
  /** Stores an edit before it is asked about, so that a re-entered handler finds it. */
  record(edit: Edit): Promise<void>;
  /** Returns the edit that the newest prompt of an earlier process asks about. */
  recall(): (AskedEdit & { readonly interactionId: InteractionId }) | undefined;
}

/**
 * Wraps a demand so that edits are checked by what the tool parses them to and how it describes that. An edit does not run at
 * once if it parses to something else than was typed, looks different from what was shown, or has a higher risk. It is then asked
 * about in a prompt of its own, with its editor among the requesters: nobody consents to what they were not shown, or alone to a
 * high risk that they chose (APR2, TEAM2). An approval of that prompt counts once, for exactly what it shows. If the tool states
 * no risk for an edit, it counts as high for people who could not edit at high risk, and as unchanged for others; it counts as high
 * for everybody if only a high risk demands a passkey (SIGN2).
 */
export function askAboutEdits(demand: InteractionDemand, desk: EditHandlers): InteractionDemand {
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
      if (!isRunAsShown(described.risk, risk, answer, desk)) {
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
 * Parses the edited arguments of an approval.
 * @throws ToolError `interrupted` if the tool now parses them differently from what was approved
 */
export async function readApproved(
  read: ReadCall,
  { editedArgs: written = null, readArgs: json = written }: EditAnswer,
) {
  const args = await readAgain(read, { written, json });
  if (isSameJson(args.json, json)) return args;
  throw new ToolError(
    'interrupted',
    'The tool now interprets the approved arguments differently, so nothing was run. Call it again to ask for a new approval.',
  );
}

function isRunAsShown(
  risk: CallDescription['risk'],
  shown: CallDescription['risk'],
  { by, approvalScope: scope = 'once' }: InteractionAnswer,
  desk: Pick<EditHandlers, 'escapesPasskey'>,
): boolean {
  if (risk === undefined) return !desk.escapesPasskey(shown) && mayEdit(giverOf({ scope, by }), { risk: 'high' });
  return riskLevel(risk) <= riskLevel(shown);
}

/** Makes the prompt about an edit uneditable, which also distinguishes it from the first prompt of its slot. */
const askedOnce: Pick<InteractionDemand, 'approvalScopes' | 'rules' | 'editable'> = {
  approvalScopes: ['once'],
  rules: [],
  editable: false,
};
