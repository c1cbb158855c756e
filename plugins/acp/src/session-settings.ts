import { isRecord } from '@parleyhq/core';
import { type ClientContext, methods } from './sdk.ts';

/** What an agent offers for a session. If it has options, its modes are not used. */
export interface SessionSettings {
  readonly modes?: unknown;
  readonly configOptions?: unknown;
}

/** Returns the agent's mode; undefined if it has none. */
export function modeOf({ modes, configOptions }: SessionSettings): string | undefined {
  const mode = findOption(configOptions, 'mode')?.currentValue ?? (isRecord(modes) ? modes.currentModeId : undefined);
  return typeof mode === 'string' ? mode : undefined;
}

/**
 * Sets the agent's mode. @returns the settings afterwards
 * @throws Error if the agent has no such mode: it might else decide what people should
 */
export async function chooseMode(
  agent: ClientContext,
  sessionId: string,
  settings: SessionSettings,
  mode: string | undefined,
): Promise<SessionSettings> {
  if (mode === undefined) return settings;
  const chosen = await chooseOption(agent, sessionId, settings, ['mode', mode]);
  if (chosen) return chosen;
  const modes = isRecord(settings.modes) ? settings.modes : {};
  const ids = (Array.isArray(modes.availableModes) ? modes.availableModes : []).map(({ id }) => id);
  if (!ids.includes(mode)) throw new Error(`it has no mode "${mode}"`);
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode });
  return { ...settings, modes: { ...modes, currentModeId: mode } };
}

/** @returns the settings afterwards @throws Error if the agent does not offer the model */
export async function chooseModel(
  agent: ClientContext,
  sessionId: string,
  settings: SessionSettings,
  model: string | undefined,
): Promise<SessionSettings> {
  if (model === undefined) return settings;
  const chosen = await chooseOption(agent, sessionId, settings, ['model', model]);
  if (!chosen) throw new Error(`it has no choice of models with "${model}"`);
  return chosen;
}

/** @returns the settings afterwards; undefined if the agent has no such option @throws Error if the option has no such value */
async function chooseOption(
  agent: ClientContext,
  sessionId: string,
  settings: SessionSettings,
  [category, value]: readonly [string, string],
): Promise<SessionSettings | undefined> {
  const { configOptions } = settings;
  const option = findOption(configOptions, category);
  if (!option) return undefined;
  if (!valuesOf(option.options).includes(value)) throw new Error(`its option "${category}" has no value "${value}"`);
  const request = { sessionId, configId: String(option.id), value };
  const { configOptions: changed = configOptions } = await agent.request<SessionSettings>(
    methods.agent.session.setConfigOption,
    request,
  );
  return { ...settings, configOptions: changed };
}

function findOption(configOptions: unknown, category: string): Record<string, unknown> | undefined {
  const options = (Array.isArray(configOptions) ? configOptions : []).filter((option) => isRecord(option));
  return options.find(({ id }) => id === category) ?? options.find((each) => each.category === category);
}

/** The values of an option, whose list may be in groups. */
function valuesOf(options: unknown): unknown[] {
  return (Array.isArray(options) ? options : [])
    .filter((option) => isRecord(option))
    .flatMap((option) => (Array.isArray(option.options) ? valuesOf(option.options) : [option.value]));
}
