import { type Annotation, definePlugin, defineTool, isAnswer, splitLines, wordsOf } from '@parleyhq/core';
import * as z from 'zod';

/** Puts each replacement in the place of its lines, from the end so that the other line numbers stay right. */
function rework(plan: string, annotations: readonly Annotation[]): string {
  const lines = splitLines(plan);
  for (const {
    lines: [from, to],
    replacement,
  } of [...annotations].sort((a, b) => b.lines[0] - a.lines[0])) {
    if (replacement === undefined) continue;
    lines.splice(from - 1, to - from + 1, ...(replacement === '' ? [] : splitLines(replacement)));
  }
  return lines.join('\n');
}

/** Shows a plan until a person accepts it, with what they replaced in the version before. */
const agreePlan = defineTool({
  name: 'agree_plan',
  description: 'Agree on a plan with a person, who may comment on its lines and replace them.',
  parameters: z.object({ plan: z.string() }),
  readOnly: true,
  async handler({ plan }, ctx) {
    for (let version = 1; ; version++) {
      const answer = await ctx.requestInteraction({
        type: 'approval',
        key: `version ${version}`,
        title: 'Carry out this plan?',
        subject: { kind: 'markdown', text: plan },
        approvalScopes: ['once'],
        onComment: ({ text }) => (/version/i.test(text) ? { reply: `This is version ${version}.` } : undefined),
      });
      if (!isAnswer(answer)) throw ctx.error('timeout', 'Nobody answered in time.');
      const { action, annotations = [] } = answer;
      if (action === 'approve') return { plan: rework(plan, annotations), remarks: wordsOf(answer) ?? null };
      const next = rework(plan, annotations);
      if (action === 'cancel' || next === plan)
        throw ctx.error('denied', wordsOf(answer) ?? 'A person wants another plan.');
      plan = next;
    }
  },
});

export default definePlugin({ name: 'plan', tools: [agreePlan] });
