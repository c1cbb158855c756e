import { questionsSchema, titleOfQuestions, toAnswers, toQuestionForm } from '@parleyhq/claude-tools';
import { defineTool, type FormValues, isRecord } from '@parleyhq/core';
import type { CallContext } from './call-context.ts';

export function makeAskUserQuestion(desk: CallContext) {
  return defineTool({
    name: 'AskUserQuestion',
    description: 'Ask the person questions with choices.',
    parameters: questionsSchema,
    readOnly: true, // asking again after a restart is harmless
    timeoutMs: desk.timeoutMs,
    async handler(args, ctx) {
      const { questions } = args;
      const input = await ctx.requestInteraction({
        type: 'input',
        key: 'questions',
        title: titleOfQuestions(questions),
        presentation: 'questionnaire',
        inputSchema: toQuestionForm(questions),
        timeoutMs: desk.promptTimeoutMs,
        onUnavailable: 'wait',
        onResponse: ({ action, input: filled = {} }) => ({ complete: action === 'submit' ? filled : null }),
      });
      if (isRecord(input) && input.error === 'timeout') throw ctx.error('timeout', 'Nobody answered in time.');
      if (!isRecord(input)) throw ctx.error('cancelled', 'The person did not want to answer this.');
      return desk.run(ctx, { ...args, ...toAnswers(questions, input as FormValues) });
    },
  });
}
