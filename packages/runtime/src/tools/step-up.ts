import { type Agent, type InteractionSpec, riskLevel } from '@parleyhq/core';
import { fits, type Permission } from './policy.ts';

type Risk = NonNullable<InteractionSpec['risk']>;

/** Which prompts are answered only with a passkey: from a risk on, those of some tools, or both (SIGN2). */
export interface StepUp {
  readonly risk?: Risk | undefined;
  /** Globs of tool names, as policies have them. */
  readonly tools?: readonly string[] | undefined;
}

/** Whether consent to what this tool asks, at this risk, must be signed by a passkey. No risk counts as low. */
export function demandsStepUp(
  { risk: least, tools = [] }: StepUp,
  { toolName, risk }: { readonly toolName: string; readonly risk: Risk | undefined },
): boolean {
  const isRisky = least !== undefined && riskLevel(risk) >= riskLevel(least);
  return isRisky || tools.some((glob) => fits(glob, toolName));
}

/** Returns what may happen to a call if neither a mode nor a reviewer may stand in for a person. */
function requirePerson(permission: Permission): Permission {
  if (permission.kind === 'allow' && permission.by === 'mode') return { kind: 'tool' };
  return permission.kind === 'review' ? { kind: 'ask' } : permission;
}

/**
 * Returns what may happen to a call: no mode and no reviewer stands in for a passkey.
 * @param findRisk - called only if the risk matters
 */
export async function withoutStandIns(
  permission: Permission,
  stepUp: StepUp,
  { toolName, findRisk }: { readonly toolName: string; findRisk(): Promise<Risk | undefined> },
): Promise<Permission> {
  const strict = requirePerson(permission);
  if (strict === permission) return permission;
  return demandsStepUp(stepUp, { toolName, risk: await findRisk() }) ? strict : permission;
}

/**
 * Returns the mode in which an agent works that asks with tools of its own. Such an agent asks less in other modes than `default`
 * and `plan`, and before anybody knows at which risk: so those count as `default` if a passkey is demanded for any of its tools at
 * the lowest risk.
 */
export function modeForAgent(mode: string, stepUp: StepUp | undefined, { tools = [] }: Pick<Agent, 'tools'>): string {
  if (!stepUp || mode === 'default' || mode === 'plan') return mode;
  return tools.some(({ name: toolName }) => demandsStepUp(stepUp, { toolName, risk: undefined })) ? 'default' : mode;
}
