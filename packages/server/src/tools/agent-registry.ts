import { type Agent, RefusalError, suggestName } from '@parleyhq/core';
import { SettingsError } from '../log/settings-error.ts';

/** The back ends that this server offers, by name. */
export class AgentRegistry {
  readonly #agents = new Map<string, Agent>();
  readonly defaultName: string;
  readonly model: string | undefined;

  /** @throws Error where two agents share a name; SettingsError where the default is none of them */
  constructor(agents: readonly Agent[], options: { defaultName: string; model?: string | undefined }) {
    for (const agent of agents) {
      if (this.#agents.has(agent.name)) throw new Error(`Two agents are called "${agent.name}".`);
      this.#agents.set(agent.name, agent);
    }
    if (!this.#agents.has(options.defaultName)) {
      const names = [...this.#agents.keys()];
      throw new SettingsError(
        `There is no agent "${options.defaultName}"; this server has: ${names.join(', ')}.${suggestName(options.defaultName, names)}`,
      );
    }
    this.defaultName = options.defaultName;
    this.model = options.model;
  }

  /** @throws RefusalError `unknown_agent` */
  get(name: string): Agent {
    const agent = this.#agents.get(name);
    if (!agent) throw new RefusalError('unknown_agent', { details: { agents: [...this.#agents.keys()] } });
    return agent;
  }

  /** The default agent first, then the others in their order. */
  list(): readonly Agent[] {
    const first = this.get(this.defaultName);
    return [first, ...[...this.#agents.values()].filter((agent) => agent !== first)];
  }
}
