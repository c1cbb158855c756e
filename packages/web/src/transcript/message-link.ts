import type { Seq, SessionId } from '@parleyhq/core';
import { pathOf } from '../browser/route.ts';

/** The address of a message: that of its session, and the place of its event in the log. */
export function linkTo(home: string, sessionId: SessionId, seq: Seq): string {
  return `${home}${pathOf({ sessionId })}#e${seq}`;
}

/** The event that the fragment of an address names. */
export function findLinked(hash: string): Seq | undefined {
  const [, seq] = /^#e([1-9]\d{0,14})$/.exec(hash) ?? [];
  return seq === undefined ? undefined : Number(seq);
}
