import { isRecord } from '@parleyhq/core';

/** What an agent says of its session, apart from the conversation, by the names that people read. */
export interface SessionFacts {
  readonly Title?: string;
  readonly Mode?: string;
  readonly Model?: string;
  readonly Commands?: string;
}

/** Limits of a fact and of a list of commands, in characters. */
const maxFact = 100;
const maxCommands = 500;

/** Reads the modes, models and options of a session that begins, or of an update. If an agent has options, its modes do not count. */
export function readSettings(settings: unknown): SessionFacts {
  const { modes, models, configOptions } = isRecord(settings) ? settings : {};
  const mode = chosenOption(configOptions, 'mode') ?? chosen(modes, 'availableModes', 'currentModeId', 'id');
  const model = chosenOption(configOptions, 'model') ?? chosen(models, 'availableModels', 'currentModelId', 'modelId');
  return { ...fact('Mode', mode), ...fact('Model', model) };
}

/** Reads an update of the session. @param settings - what the agent offered for it, where modes have their names */
export function readFacts(update: Readonly<Record<string, unknown>>, settings: unknown): SessionFacts | undefined {
  switch (update.sessionUpdate) {
    case 'current_mode_update': {
      const modes = isRecord(settings) && isRecord(settings.modes) ? settings.modes : {};
      return readSettings({ modes: { ...modes, currentModeId: update.currentModeId } });
    }
    case 'config_option_update':
      return readSettings({ configOptions: update.configOptions });
    case 'session_info_update':
      return fact('Title', update.title);
    case 'available_commands_update': {
      const names = recordsOf(update.availableCommands).map(({ name }) => `/${String(name)}`);
      return fact('Commands', names.join(', '), maxCommands);
    }
    default:
      return undefined;
  }
}

/** Describes in one line what is new; undefined if nothing. */
export function describeNews(known: SessionFacts, facts: SessionFacts): string | undefined {
  const news = Object.entries(facts).filter(([name, value]) => known[name as keyof SessionFacts] !== value);
  return news.length === 0 ? undefined : `*${news.map(([name, value]) => `${name}: ${value}`).join(' · ')}*`;
}

function chosenOption(options: unknown, category: string): unknown {
  const all = recordsOf(options);
  const option = all.find(({ id }) => id === category) ?? all.find((each) => each.category === category);
  if (!option) return undefined;
  const values = recordsOf(option.options).flatMap((each) => ('options' in each ? recordsOf(each.options) : [each]));
  return values.find(({ value }) => value === option.currentValue)?.name ?? option.currentValue;
}

function chosen(offer: unknown, list: string, current: string, id: string): unknown {
  if (!isRecord(offer)) return undefined;
  return recordsOf(offer[list]).find((each) => each[id] === offer[current])?.name ?? offer[current];
}

function recordsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return (Array.isArray(value) ? value : []).filter((each) => isRecord(each));
}

/** Shows a value on one line, without what Markdown would read as a mark. */
function fact(name: keyof SessionFacts, value: unknown, most = maxFact): SessionFacts {
  if (typeof value !== 'string') return {};
  const text = value.replace(/[\s*`~[\]<>|\\]+/g, ' ').trim();
  return text === '' ? {} : { [name]: text.length > most ? `${text.slice(0, most)} …` : text };
}
