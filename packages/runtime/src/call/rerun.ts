import {
  type Audience,
  type InteractionDemand,
  type InteractionId,
  isRecord,
  type Json,
  maxShownLength,
  narrowAudience,
  narrowQuorum,
  type OpenCall,
  type Quorum,
  recoverySlot,
  showArgs,
  ToolError,
} from '@parleyhq/core';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Asker } from './asker.ts';
import type { Consented, Journal } from './journal.ts';

/** Whether an interrupted call may run again, and the prompt in which a person decided that. */
export interface RunAgain {
  readonly mayRun: boolean;
  readonly asked?: InteractionId;
}

/**
 * Whether an interrupted call may run again: its tool or a person decides. Nothing runs twice silently (DUR4).
 * @param args - what it would run with
 */
export async function mayRunAgain(
  asker: Asker,
  { consents }: Pick<Journal, 'consents'>,
  call: OpenCall,
  args: Json,
  { onInterrupted, readOnly }: RegisteredTool['tool'],
): Promise<RunAgain> {
  const rule = onInterrupted ?? (readOnly ? 'retry' : 'ask');
  if (rule !== 'ask') return { mayRun: rule === 'retry' };
  const { toolName } = call;
  const subject = showArgs(args);
  if (subject.text.length > maxShownLength) return { mayRun: false }; // nobody could read what they would consent to (SEC5)
  const asked = whoMayRepeat(asker, consents, call);
  if (!asked) return { mayRun: false };
  const demand: InteractionDemand = {
    type: 'approval',
    title: `The server stopped while ${toolName} was running`,
    prompt: `The server stopped while ${toolName} was running: run again / treat as failed`,
    subject,
    approvalScopes: ['once'],
    timeoutMs: null,
    onUnavailable: 'wait',
    ...asked,
  };
  const answer = await asker.ask(demand, recoverySlot, { kind: 'recovery', name: toolName });
  if (!isRecord(answer)) return { mayRun: false };
  return { mayRun: answer.action === 'approve', asked: String(answer.interactionId) };
}

/**
 * Returns the people who could have given each of these consents and who see the call if it is hidden (TEAM1, TEAM2); undefined
 * if there are none.
 */
function whoMayRepeat(
  asker: Asker,
  consents: readonly Consented[],
  { visibility, audience: seeing }: OpenCall,
): Pick<InteractionDemand, 'audience' | 'risk' | 'decide'> | undefined {
  const start: Audience | undefined = visibility && seeing;
  const audience = consents.reduce((all, each) => narrowAudience(all, each.audience), start);
  const decide = consents.reduce<Quorum | undefined>((all, each) => narrowQuorum(all, each.decide), undefined);
  const risk = (['high', 'medium', 'low'] as const).find((each) => consents.some((consent) => consent.risk === each));
  try {
    return asker.narrow({ ...(audience && { audience }), ...(risk && { risk }), ...(decide && { decide }) });
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
