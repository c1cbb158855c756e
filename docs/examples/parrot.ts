import { type Agent, definePlugin } from '@parleyhq/core';

/** An agent writes one assistant message from the log. A message without a tool call ends the turn. */
const parrot: Agent = {
  name: 'parrot',
  description: 'Says everything twice, after asking.',
  async *run(turn) {
    const events = (await turn.read()).filter((event) => event.turnId === turn.turnId);
    const said = events.find((event) => event.type === 'user_message')?.payload.text ?? '';
    const result = events.find((event) => event.type === 'tool_result')?.payload;
    if (result) yield { type: 'text', text: `${said} ${said} (${JSON.stringify(result.result ?? result.error)})` };
    else yield { type: 'tool_call', toolName: 'ask_user', args: { question: `Say "${said}" twice?` } };
  },
};

export default definePlugin({ name: 'parrot', tools: [], agents: [parrot] });
