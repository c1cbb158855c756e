import type { AgentExample, ToolOffer } from '@parleyhq/core';

const examples: readonly { readonly tool: string; readonly line: string; readonly about: string }[] = [
  { tool: 'ask_user', line: '/call ask_user {"question": "What is your name?"}', about: 'a question' },
  {
    tool: 'ask_user',
    line: '/call ask_user {"question": "Which colour?", "options": ["red", "blue"]}',
    about: 'a choice',
  },
  { tool: 'all_fields', line: '/call all_fields', about: 'every kind of field' },
  { tool: 'collect_email', line: '/call collect_email', about: 'asks again until the answer fits' },
  { tool: 'quick_question', line: '/call quick_question', about: 'waits 15 seconds' },
  {
    tool: 'survey',
    line: '/call survey {"timeoutMs": 5000}',
    about: 'goes on without you; a late answer still arrives',
  },
  { tool: 'plan_trip', line: '/call plan_trip', about: 'three steps' },
  { tool: 'ask_parallel', line: '/call ask_parallel', about: 'three prompts at once' },
  { tool: 'delete_files', line: '/call delete_files {"files": ["notes.txt"]}', about: 'an approval' },
  { tool: 'run_command', line: '/call run_command {"command": "ls -la"}', about: 'a command that you may edit' },
];

/** Returns the first examples to try: an approval, a choice, several steps. */
export function findExamples(tools: readonly ToolOffer[]): readonly AgentExample[] {
  const offered = new Set(tools.map(({ name }) => name));
  const first = ['an approval', 'a choice', 'three steps'];
  return first.flatMap((about) =>
    examples
      .filter((each) => each.about === about && offered.has(each.tool))
      .map(({ line: text }) => ({ text, about })),
  );
}

/** Describes what can be tried here, with only the tools that this server has. */
export function writeTour(tools: readonly ToolOffer[]): string {
  const offered = new Set(tools.map((tool) => tool.name));
  const shown = examples.filter(({ tool }) => offered.has(tool));
  const others = [...offered].filter((name) => !shown.some(({ tool }) => tool === name));
  return [
    'I am a scripted demo: there is no model behind me. I call the tools you name and say what they returned. Try:',
    [...shown, { line: '/stream 20 100', about: 'text, piece by piece' }]
      .map(({ line, about }) => `- \`${line}\` (${about})`)
      .join('\n'),
    'Several lines in one message are calls side by side.',
    ...(others.length > 0 ? [`There are also: ${others.join(', ')}.`] : []),
  ].join('\n\n');
}
