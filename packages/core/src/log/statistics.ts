import type { SessionId } from '../basics/id.ts';
import { type CountedCase, passers } from './counted-case.ts';
import type { StatisticsGrouping } from './statistics-grouping.ts';

/** Numbers of cases. Those from `approved` on are disjoint, up to `refused`. */
export interface CaseCounts {
  /** Prompts that were put to people, whatever became of them. */
  readonly asked: number;
  readonly approved: number;
  readonly denied: number;
  /** Forms that were filled in. */
  readonly submitted: number;
  readonly cancelled: number;
  readonly timeout: number;
  readonly withdrawn: number;
  readonly open: number;
  /** Calls and prompts that were allowed without a person's answer. */
  readonly byGrant: number;
  readonly byPolicy: number;
  readonly byMode: number;
  readonly byReviewer: number;
  /** Calls that a policy or the mode denied. */
  readonly refused: number;
  /** Approvals that were edited, and those given sooner than their text can be read. */
  readonly edited: number;
  readonly unread: number;
  /** What a reviewer would have let pass and a person answered, and how much of it that person refused (LESS3). */
  readonly sampled: number;
  readonly disputed: number;
  /** Times from asking to a person's answer; absent if no person has answered. */
  readonly medianMs?: number;
  readonly p95Ms?: number;
}

/** The cases that have one thing in common. The key is absent for those that have no such thing, such as a chosen rule. */
export interface CaseGroup extends CaseCounts {
  readonly key?: string;
  /** What people call it, if that is not the key. */
  readonly name?: string;
  /** The tool of a rule. */
  readonly toolName?: string;
}

/** Statistics over cases (LESS1). */
export interface Statistics {
  readonly by: StatisticsGrouping;
  readonly total: CaseCounts;
  /** The most frequently asked first. */
  readonly groups: readonly CaseGroup[];
}

/** Restricts which cases count. */
export interface CaseChoice {
  readonly toolName?: string | undefined;
  /** Id or name of the person who answered. */
  readonly person?: string | undefined;
}

/** Returns the label of the rule that a grant is for; undefined if it is for an exact request, or not known. */
export type RuleOfGrant = (grantId: string) => string | undefined;

type Counter = Exclude<keyof CaseCounts, 'medianMs' | 'p95Ms'>;

const counters = {
  approved: 'approved',
  denied: 'denied',
  submitted: 'submitted',
  cancelled: 'cancelled',
  timeout: 'timeout',
  withdrawn: 'withdrawn',
  open: 'open',
  grant: 'byGrant',
  policy: 'byPolicy',
  mode: 'byMode',
  reviewer: 'byReviewer',
  refused: 'refused',
} as const satisfies Record<Exclude<CountedCase['result'], 'asked'>, Counter>;

/** Several cases that are counted as one. */
export interface CaseSum {
  readonly count: number;
  /** The `ms` of those that have any. */
  readonly times: readonly number[];
}

/** Adds up cases. The order in which they are added makes no difference. */
export class CaseCounter {
  readonly #by: StatisticsGrouping;
  readonly #choice: CaseChoice;
  readonly #ruleOf: RuleOfGrant;
  readonly #total = new Counts();
  readonly #groups = new Map<string, Group>();

  constructor(by: StatisticsGrouping, choice: CaseChoice = {}, ruleOf: RuleOfGrant = () => undefined) {
    this.#by = by;
    this.#choice = choice;
    this.#ruleOf = ruleOf;
  }

  /** @param sum - if the case stands for several of its day, how many, and the times that answers took */
  add(sessionId: SessionId, counted: CountedCase, sum: CaseSum = sumOf(counted)): void {
    if (counted.result === 'asked' || !isChosen(this.#choice, counted)) return;
    const { id, ...about } = this.#groupOf(sessionId, counted);
    const group = this.#groups.get(id) ?? { about, counts: new Counts(), newest: '' };
    this.#groups.set(id, group);
    group.counts.add(counted, sum);
    if (counted.at >= group.newest) Object.assign(group, { about, newest: counted.at }); // a person's newest name
    this.#total.add(counted, sum);
  }

  finish(): Statistics {
    const groups = [...this.#groups.values()].map(({ about, counts }) => ({ ...about, ...counts.finish() }));
    return { by: this.#by, total: this.#total.finish(), groups: groups.sort(compareGroups(this.#by)) };
  }

  #groupOf(sessionId: SessionId, counted: CountedCase): GroupName & { readonly id: string } {
    switch (this.#by) {
      case 'tool':
        return named(counted.toolName);
      case 'session':
        return named(sessionId);
      case 'day':
        return named(counted.at.slice(0, 'yyyy-mm-dd'.length));
      case 'person':
        return counted.by ? { ...named(counted.by.person), name: counted.by.name } : { id: '' };
      case 'rule': {
        const { toolName, rule = counted.grantId && this.#ruleOf(counted.grantId) } = counted;
        return rule ? { id: JSON.stringify([toolName, rule]), key: rule, toolName } : { id: '' };
      }
      default:
        return this.#by satisfies never;
    }
  }
}

const sumOf = ({ ms }: CountedCase): CaseSum => ({ count: 1, times: ms === undefined ? [] : [ms] });

interface Group {
  about: GroupName;
  readonly counts: Counts;
  /** Time of its newest case. */
  newest: string;
}

type GroupName = Pick<CaseGroup, 'key' | 'name' | 'toolName'>;

const named = (key: string) => ({ id: `:${key}`, key });

function isChosen({ toolName, person }: CaseChoice, counted: CountedCase): boolean {
  if (toolName !== undefined && counted.toolName !== toolName) return false;
  return person === undefined || counted.by?.person === person || counted.by?.name === person;
}

/** Days in their order; otherwise the most frequently asked first, and what has no key last. */
function compareGroups(by: StatisticsGrouping): (a: CaseGroup, b: CaseGroup) => number {
  const byKey = ({ key: a = '' }: CaseGroup, { key: b = '' }: CaseGroup) => (a < b ? -1 : a > b ? 1 : 0);
  if (by === 'day') return byKey;
  return (a, b) =>
    Number(a.key === undefined) - Number(b.key === undefined) ||
    b.asked - a.asked ||
    passedOf(b) - passedOf(a) ||
    byKey(a, b) ||
    (`${a.toolName}` < `${b.toolName}` ? -1 : 1);
}

/** Returns the number of cases that passed without a person's answer. */
export function passedOf(counts: CaseCounts): number {
  return passers.reduce((sum, passer) => sum + counts[counters[passer]], 0);
}

class Counts {
  readonly #counts: Record<Counter, number> = {
    asked: 0,
    approved: 0,
    denied: 0,
    submitted: 0,
    cancelled: 0,
    timeout: 0,
    withdrawn: 0,
    open: 0,
    byGrant: 0,
    byPolicy: 0,
    byMode: 0,
    byReviewer: 0,
    refused: 0,
    edited: 0,
    unread: 0,
    sampled: 0,
    disputed: 0,
  };
  readonly #times: number[] = [];

  add({ type, result, isUnread, isEdited, isSampled }: CountedCase, { count, times }: CaseSum): void {
    if (result === 'asked') return;
    const counts = this.#counts;
    counts[counters[result]] += count;
    if (type !== 'call') counts.asked += count;
    if (isEdited) counts.edited += count;
    if (isUnread) counts.unread += count;
    if (isSampled) counts.sampled += times.length; // that it is one is not shown before the answer
    if (isSampled && (result === 'denied' || result === 'cancelled')) counts.disputed += count;
    for (const ms of times) this.#times.push(ms);
  }

  finish(): CaseCounts {
    const times = Float64Array.from(this.#times).sort();
    if (times.length === 0) return { ...this.#counts };
    return { ...this.#counts, medianMs: rankOf(times, 0.5), p95Ms: rankOf(times, 0.95) };
  }
}

/** Returns the value that at least this part of all values do not exceed (nearest rank). */
function rankOf(sorted: Float64Array, part: number): number {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
}
