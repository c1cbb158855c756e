import { isRecord } from '@parleyhq/core';
import { type ClientContext, methods } from './sdk.ts';

/** What an agent offers for a session. If it has options, its modes are not used. */
export interface SessionSettings {
  readonly modes?: unknown;
  readonly configOptions?: unknown;
}

/** Sets the agent's mode. @throws Error if the agent has no such mode: it might else decide what people should */
export async function chooseMode(
  agent: ClientContext,
  sessionId: string,
  settings: SessionSettings,
  mode: string | undefined,
): Promise<void> {
  if (mode === undefined) return;
  if (await chooseOption(agent, sessionId, settings, ['mode', mode])) return;
  const modes = isRecord(settings.modes) ? settings.modes.availableModes : undefined;
  const ids = (Array.isArray(modes) ? modes : []).map(({ id }) => id);
  if (!ids.includes(mode)) throw new Error(`it has no mode "${mode}"`);
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode });
}

/** @throws Error if the agent does not offer the model */
export async function chooseModel(
  agent: ClientContext,
  sessionId: string,
  settings: SessionSettings,
  model: string | undefined,
): Promise<void> {
  if (model === undefined || (await chooseOption(agent, sessionId, settings, ['model', model]))) return;
  throw new Error(`it has no choice of models with "${model}"`);
}

/** @returns false if the agent has no such option @throws Error if the option has no such value */
async function chooseOption(
  agent: ClientContext,
  sessionId: string,
  { configOptions }: SessionSettings,
  [category, value]: readonly [string, string],
): Promise<boolean> {
  const options = (Array.isArray(configOptions) ? configOptions : []).filter((option) => isRecord(option));
  const option = options.find(({ id }) => id === category) ?? options.find((each) => each.category === category);
  if (!option) return false;
  if (!valuesOf(option.options).includes(value)) throw new Error(`its option "${category}" has no value "${value}"`);
  const request = { sessionId, configId: String(option.id), value };
  await agent.request(methods.agent.session.setConfigOption, request);
  return true;
}

/** The values of an option, whose list may be in groups. */
function valuesOf(options: unknown): unknown[] {
  return (Array.isArray(options) ? options : [])
    .filter((option) => isRecord(option))
    .flatMap((option) => (Array.isArray(option.options) ? valuesOf(option.options) : [option.value]));
}
