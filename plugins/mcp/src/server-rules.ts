import { type AskedCall, isSameJson, type Json, type OfferedRule, type Rule, showHidden } from '@parleyhq/core';

/** A tool of a server as it is defined now. */
export interface CurrentTool {
  readonly revision: string;
  /** What people call it. */
  readonly called: string;
  /** Names of the arguments that its server declares. */
  readonly members: ReadonlySet<string>;
}

/** Limits of a narrower rule: more arguments, or longer ones, would not be read. */
const maxMembers = 4;
const maxValue = 60;

type Members = Readonly<Record<string, Json>>;

/** The rule for a tool with any arguments. */
export function offerTool(name: string, { revision, called }: CurrentTool): OfferedRule {
  const label = `${called.slice(0, 300)} with any arguments, as it is described now`;
  return { id: 'tool', label, key: ['tool', name, revision], scopes: ['session', 'always'] };
}

/** Suggests rules for calls of one tool: first with the arguments that all of them share, then with any (LESS2). */
export function suggestForTool(
  calls: readonly AskedCall[],
  current: ReadonlyMap<string, CurrentTool>,
): readonly OfferedRule[] {
  const [first, ...others] = calls;
  const tool = first && current.get(first.toolName);
  if (!tool || others.some(({ toolName }) => toolName !== first.toolName)) return [];
  // an argument that the tool does not know would make a rule look narrow that covers everything
  const own = Object.entries((first.args ?? {}) as Members).filter(
    ([name, value]) => tool.members.has(name) && isShort(name, value),
  );
  const shared = own.filter(([name, value]) =>
    others.every(({ args }) => Object.hasOwn(args, name) && isSameJson(args[name], value)),
  );
  // one call alone shares everything with itself: each argument is a candidate of its own
  const fixed = others.length === 0 ? shared.map((member) => [member]) : [shared];
  const narrow = fixed
    .filter(({ length }) => length > 0 && length <= maxMembers)
    .slice(0, maxMembers)
    .map((members, index) => fixMembers(index, first.toolName, tool, members));
  return [...narrow, offerTool(first.toolName, tool)];
}

function fixMembers(
  index: number,
  name: string,
  { revision, called }: CurrentTool,
  members: readonly (readonly [string, Json])[],
): OfferedRule {
  const words = members.map(([member, value]) => `${JSON.stringify(member)}: ${JSON.stringify(value)}`).join(' and ');
  const label = `${called.slice(0, 150)} with ${words} and any other arguments, as it is described now`;
  return {
    id: `members${index}`,
    label,
    key: ['members', name, revision, Object.fromEntries(members)],
    scopes: ['session', 'always'],
  };
}

function isShort(name: string, value: Json): boolean {
  const text = JSON.stringify(value);
  const isScalar = value !== null && typeof value !== 'object';
  return isScalar && `${name}${text}`.length <= maxValue && showHidden(`${name}${text}`) === `${name}${text}`;
}

/** Whether a rule applies to a call of the tool as it is currently defined. */
export function coversTool({ key }: Rule, args: Members, current: ReadonlyMap<string, CurrentTool>): boolean {
  if (!Array.isArray(key)) return false;
  const [kind, name, revision, members, ...more] = key;
  if (typeof name !== 'string' || typeof revision !== 'string') return false;
  const tool = current.get(name);
  if (tool?.revision !== revision) return false;
  if (kind === 'tool') return key.length === 3;
  if (kind !== 'members' || more.length > 0 || typeof members !== 'object' || members === null) return false;
  const fixed = Object.entries(members as Members);
  return fixed.length > 0 && fixed.every(([member, value]) => tool.members.has(member) && isSame(args, member, value));
}

function isSame(args: Members, member: string, value: Json): boolean {
  const own = Object.hasOwn(args, member) ? args[member] : undefined;
  return own !== undefined && isSameJson(own, value);
}
