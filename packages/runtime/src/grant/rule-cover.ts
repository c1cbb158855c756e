import { type CallArgs, type Grant, isSameJson, type Json, nameRuleGrant, type Rule, readAgain } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { RegisteredTool } from '../tools/tool-registry.ts';

/** A call's arguments as shown to the person asked. */
type Known = Pick<CallArgs, 'written' | 'json'>;

interface Judged {
  readonly args: Known;
  /** The outside program that called the tool. */
  readonly caller?: string | undefined;
}

/**
 * Returns the rule grants that, according to the plugin's `covers`, cover a call of this tool with these arguments (APR7).
 * Anything unexpected covers nothing: a rule of another tool, arguments that are invalid or now read differently, an exception,
 * any result but `true`.
 */
export async function filterCovering(
  registered: RegisteredTool,
  grants: readonly Grant[],
  judged: Judged,
  log: Logger,
): Promise<readonly Grant[]> {
  const covering: Grant[] = [];
  for (const grant of grants) {
    if (await isCovered(registered, grant, judged, log)) covering.push(grant);
  }
  return covering;
}

/** Returns the key under which a rule's grant is stored; for a tool that only asks it covers its caller's requests alone (ASK3). */
export function keyOfRule({ tool }: Pick<RegisteredTool, 'tool'>, key: Json, caller: string | undefined): string {
  return nameRuleGrant(tool.name, key, tool.asking ? caller : undefined);
}

async function isCovered(
  registered: RegisteredTool,
  { rule, key }: Grant,
  { args, caller }: Judged,
  log: Logger,
): Promise<boolean> {
  const { tool, plugin } = registered;
  if (!rule || key !== keyOfRule(registered, rule.key, caller)) return false;
  try {
    const read = await readAgain(registered.read, args);
    if (!isSameJson(read.json, args.json)) return false;
    const verdict = judge(registered, rule, read.value());
    if (typeof verdict !== 'boolean') {
      log.warn(
        { plugin: plugin.name, tool: tool.name },
        'covers returned neither true nor false: the rule covers nothing',
      );
    }
    return verdict === true;
  } catch (error) {
    log.warn({ plugin: plugin.name, tool: tool.name, error }, 'covers failed: the rule covers nothing');
    return false;
  }
}

/** Calls `covers` with copies, so that a plugin changes neither what is stored nor what runs. */
function judge({ covers }: RegisteredTool, rule: Rule, args: unknown): unknown {
  return covers?.(structuredClone(rule), args);
}
