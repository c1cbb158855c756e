import {
  canonicalise,
  type FormValues,
  type InteractionItem,
  type InteractionRequest,
  type Items,
  isRecord,
} from '@parleyhq/core';

/** A prompt with the attempts it took: the newest is asked, the others are steps (INT8). */
export interface Chain {
  /** The first prompt: what drafts and elements are kept under. */
  readonly root: string;
  readonly steps: readonly InteractionItem[];
  readonly current: InteractionItem;
}

/** Chains in the order in which their first prompt stands. Prompts whose request is on no page yet are left out. */
export function findChains(items: readonly InteractionItem[]): readonly Chain[] {
  const byRoot = new Map<string, InteractionItem[]>();
  const rootOf = new Map<string, string>();
  for (const item of items) {
    const request = item.request?.payload;
    if (!request) continue;
    const root =
      request.replaces === undefined ? item.interactionId : (rootOf.get(request.replaces) ?? request.replaces);
    rootOf.set(item.interactionId, root);
    byRoot.set(root, [...(byRoot.get(root) ?? []), item]);
  }
  return [...byRoot].map(([root, attempts]) => ({
    root,
    steps: attempts.slice(0, -1),
    current: attempts.at(-1) as InteractionItem,
  }));
}

/** The first prompt of the chain that an id belongs to. */
export function findRoot(items: Items, interactionId: string): string {
  let root = interactionId;
  for (;;) {
    const item = items.get(`interaction:${root}`);
    const replaces = item?.kind === 'interaction' ? item.request?.payload.replaces : undefined;
    if (replaces === undefined) return root;
    root = replaces;
  }
}

export function isSameChain(a: Chain | undefined, b: Chain | undefined): boolean {
  if (a === b) return true;
  if (!a || !b || a.root !== b.root || a.current !== b.current || a.steps.length !== b.steps.length) return false;
  return a.steps.every((step, n) => step === b.steps[n]);
}

/**
 * Whether the tool itself chose what this attempt begins with. Else its values are those of the attempt before, or what
 * somebody typed there, and whoever is typing here keeps their own (INT8).
 */
export function hasGivenValues(request: InteractionRequest, before: InteractionItem | undefined): boolean {
  const values = canonicalise(withoutRedacted(request.initialValues));
  const inherited = [before?.request?.payload.initialValues, before?.response?.payload.input];
  return !inherited.some((candidate) => canonicalise(withoutRedacted(candidate)) === values);
}

export function withoutRedacted(values: FormValues | undefined): FormValues {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter(([, value]) => !(isRecord(value) && value.redacted === true)),
  );
}
