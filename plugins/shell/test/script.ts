import type { InteractionSpec, Tool } from '@parleyhq/core';
import { type Play, type Prompt, playTool, type Reaction } from '@parleyhq/core/testing';
import plugin from '../src/index.ts';

const [runCommand] = plugin.tools as readonly [Tool];

/** Runs the plugin's tool, whose prompts get these answers in order; `asked` and `streamed` record its prompts and output. */
export function scriptShell(...script: Reaction[]) {
  const asked: InteractionSpec[] = [];
  let play: Play | undefined;

  const run = async (args: { command: string; cwd?: string }) => {
    const human = ({ spec }: Prompt) => {
      asked.push(spec);
      return script.shift() ?? 'timeout';
    };
    play = playTool(runCommand, { args, human });
    const { result, error } = await play.end();
    if (error) throw error;
    return result;
  };
  return { asked, run, stop: () => play?.stop(), streamed: () => play?.progress.join('') ?? '' };
}
