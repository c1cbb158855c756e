import type { Agent } from '@parleyhq/core';
import { anthropicAgent, defaultAnthropicModel } from '@parleyhq/plugin-anthropic';
import { demoAgent } from '@parleyhq/server';
import { type Settings, SettingsError } from '../settings/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenAgents {
  readonly agents: readonly Agent[];
  readonly model: string | undefined;
  /** Note for the person who starts the server: another agent that could be used. */
  readonly hint: string | undefined;
}

/**
 * Agents that cost money are available only if they are chosen by name: an API key alone selects nothing (AGT2).
 * @throws SettingsError if the chosen agent has no key, or its base URL is invalid
 */
export function chooseAgents({ agent, model, anthropic }: Settings, env: Environment): ChosenAgents {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl } = env;
  if (agent !== 'anthropic') {
    const isUnused = apiKey && agent === demoAgent.name;
    const hint = isUnused && 'ANTHROPIC_API_KEY is set: --agent anthropic would use it, and cost money.';
    return { agents: [], model, hint: hint || undefined };
  }
  if (!apiKey) throw new SettingsError('The agent "anthropic" needs a key: set ANTHROPIC_API_KEY.');
  if (baseUrl && !URL.canParse(baseUrl)) throw new SettingsError('ANTHROPIC_BASE_URL: must be an address.');
  const options = { ...anthropic, apiKey, ...(baseUrl && { baseUrl }) };
  return { agents: [anthropicAgent(options)], model: model ?? defaultAnthropicModel, hint: undefined };
}
