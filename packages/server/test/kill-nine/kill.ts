import type { Json } from '@parleyhq/core';

export const phases = ['before commit', 'inside commit', 'after commit', 'after broadcast'] as const;
export type Phase = (typeof phases)[number];

/** The moment at which a victim kills itself. */
export interface Kill {
  /** The append that contains such an event … */
  readonly event?: string;
  /** … with these members in its payload, … */
  readonly payload?: Readonly<Record<string, Json>>;
  /** … or a record whose key begins with this; */
  readonly record?: string;
  readonly phase?: Phase;
  /** or this place in the scenario's own code. */
  readonly place?: string;
  /** Which occurrence, from 1. */
  readonly nth?: number;
  /** Processes to kill. Default: the victim itself */
  readonly pids?: readonly number[];
}

export function isMeantEvent(kill: Kill, text: string): boolean {
  if (kill.event === undefined) return false;
  const { type, payload } = JSON.parse(text) as { type: string; payload: Record<string, unknown> };
  const wanted = Object.entries(kill.payload ?? {});
  return type === kill.event && wanted.every(([name, value]) => payload[name] === value);
}

export function isMeantRecord(kill: Kill, key: string): boolean {
  return kill.record !== undefined && key.startsWith(kill.record);
}

/** Describes the kill for a test title. */
export function describeKill({ event, payload, record, phase, place, nth }: Kill): string {
  const what = place ?? `${phase} of ${event ?? `a record ${record}`}`;
  const which = payload ? ` ${JSON.stringify(payload)}` : '';
  return `${what}${which}${nth && nth > 1 ? `, time ${nth}` : ''}`;
}
