import type { Seq, SessionId } from '@parleyhq/core';
import { pathOf } from '../browser/route.ts';

/** Returns the address of a message: that of its session, with the seq of its event as the fragment. */
export function linkTo(home: string, sessionId: SessionId, seq: Seq): string {
  return `${home}${pathOf({ sessionId })}#e${seq}`;
}

/** Returns the seq in the fragment of an address. */
export function findLinked(hash: string): Seq | undefined {
  const [, seq] = /^#e([1-9]\d{0,14})$/.exec(hash) ?? [];
  return seq === undefined ? undefined : Number(seq);
}
