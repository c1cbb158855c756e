import {
  type Agent,
  type AgentExample,
  RefusalError,
  type SessionId,
  suggestName,
  type ToolOffer,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import { SettingsError } from '../log/settings-error.ts';

/** Maximum number of examples: more would cover the page that shows them. */
const maxExamples = 6;

/** The agents that this server offers, by name. */
export class AgentRegistry {
  readonly #agents = new Map<string, Agent>();
  readonly #examples = new Map<string, readonly AgentExample[]>();
  readonly defaultName: string;
  readonly model: string | undefined;

  /** @throws Error if two agents share a name; SettingsError if the default agent does not exist */
  constructor(
    agents: readonly Agent[],
    options: { defaultName: string; model?: string | undefined; tools?: readonly ToolOffer[] },
  ) {
    for (const agent of agents) {
      if (this.#agents.has(agent.name)) throw new Error(`Two agents are called "${agent.name}".`);
      this.#agents.set(agent.name, agent);
      const examples = agent.examples?.(options.tools ?? []).slice(0, maxExamples) ?? [];
      if (examples.length > 0) this.#examples.set(agent.name, examples);
    }
    if (!this.#agents.has(options.defaultName)) {
      const names = [...this.#agents.keys()];
      throw new SettingsError(
        `There is no agent "${options.defaultName}"; this server has: ${names.join(', ')}.${suggestName(options.defaultName, names)} Other agents come with a plugin: is it loaded?`,
      );
    }
    this.defaultName = options.defaultName;
    this.model = options.model;
  }

  find(name: string): Agent | undefined {
    return this.#agents.get(name);
  }

  /** @throws RefusalError `unknown_agent` */
  get(name: string): Agent {
    const agent = this.find(name);
    if (!agent) throw new RefusalError('unknown_agent', { details: { agents: [...this.#agents.keys()] } });
    return agent;
  }

  /** Returns the agent's examples of first messages, if it has any. */
  examplesOf(name: string): readonly AgentExample[] | undefined {
    return this.#examples.get(name);
  }

  /** Lets every agent delete what it keeps of a deleted session (OPS5); one that fails does not stop the others. */
  async forget(sessionId: SessionId, log: Logger): Promise<void> {
    for (const agent of this.#agents.values()) {
      try {
        await agent.forget?.(sessionId);
      } catch (error) {
        log.warn({ agent: agent.name, sessionId, error }, 'an agent could not forget a deleted session');
      }
    }
  }

  /** Returns the agents in order, the default one first. */
  list(): readonly Agent[] {
    const first = this.get(this.defaultName);
    return [first, ...[...this.#agents.values()].filter((agent) => agent !== first)];
  }
}
