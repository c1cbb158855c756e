import type { Reviewed } from '../prompt/review.ts';

/** Describes what a reviewer found about a call that a person is asked about. A pass is shown only once the person has answered. */
export function describeReviewed({ name, verdict, reason, cause }: Reviewed): string {
  if (cause !== undefined) return `Not passed by the reviewer “${name}”: ${reason}`;
  const did = verdict === 'ask' ? 'asks' : 'had passed it, and this was a sample';
  return `The reviewer “${name}” ${did}: ${reason}`;
}

interface Pass {
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
}

/** Describes a pass that let a call or an approval run without a person. */
export function describePass({ name = '', reason = '' }: Pass): string {
  return `Passed by the reviewer “${name}”: ${reason}`;
}
