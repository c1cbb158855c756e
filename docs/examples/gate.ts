import { type Approval, type Audience, definePlugin, defineTool, ToolError } from '@parleyhq/core';
import * as z from 'zod';

interface Group {
  readonly name: string;
  readonly audience: Audience;
  readonly decide: { readonly approve: number };
}

/** An operator alone may decide, or two of the night shift. */
const groups: readonly Group[] = [
  { name: 'operators', audience: { role: 'operator' }, decide: { approve: 1 } },
  { name: 'the night shift', audience: { principals: ['Ann', 'Ben', 'Cleo'] }, decide: { approve: 2 } },
];

const openGate = defineTool({
  name: 'open_gate',
  description: 'Open a gate, if an operator or two of the night shift allow it.',
  parameters: z.object({ gate: z.string() }),
  hibernates: true,
  onInterrupted: 'retry', // until it returns it only asks
  async handler({ gate }, ctx) {
    const decided = new AbortController();
    const ask = async ({ name, audience, decide }: Group): Promise<Approval & { group: string }> => {
      const approval = await ctx.approve({
        key: ['open', gate, name],
        title: `Open gate ${gate}?`,
        prompt: `This is asked of ${groups.map((group) => group.name).join(' and of ')}: the first decision counts.`,
        scopes: ['once'],
        audience,
        decide,
        timeoutMs: null,
        onUnavailable: 'wait',
        signal: decided.signal,
      });
      return { ...approval, group: name };
    };
    const asked = groups.map(ask);
    const fastest = await Promise.race(asked);
    const first = await ctx.step('first', () => fastest); // stays the first, should both be answered before a restart
    decided.abort(new ToolError('withdrawn', `Decided by ${first.group}.`));
    await Promise.allSettled(asked);
    if (!first.approved) throw ctx.error('denied', first.reason);
    return { opened: gate, allowedBy: first.group };
  },
});

export default definePlugin({ name: 'gate', tools: [openGate] });
