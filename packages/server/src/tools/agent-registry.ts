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

/** More would hide the page where they are shown. */
const maxExamples = 6;

/** The back ends that this server offers, by name. */
export class AgentRegistry {
  readonly #agents = new Map<string, Agent>();
  readonly #examples = new Map<string, readonly AgentExample[]>();
  readonly defaultName: string;
  readonly model: string | undefined;

  /** @throws Error where two agents share a name; SettingsError where the default is none of them */
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

  /** @throws RefusalError `unknown_agent` */
  get(name: string): Agent {
    const agent = this.#agents.get(name);
    if (!agent) throw new RefusalError('unknown_agent', { details: { agents: [...this.#agents.keys()] } });
    return agent;
  }

  /** What a person may say to it first, if it says so. */
  examplesOf(name: string): readonly AgentExample[] | undefined {
    return this.#examples.get(name);
  }

  /** Lets every agent drop what it keeps of a deleted session (OPS5); one that fails does not keep the others. */
  async forget(sessionId: SessionId, log: Logger): Promise<void> {
    for (const agent of this.#agents.values()) {
      try {
        await agent.forget?.(sessionId);
      } catch (error) {
        log.warn({ agent: agent.name, sessionId, error }, 'an agent could not forget a deleted session');
      }
    }
  }

  /** The default agent first, then the others in their order. */
  list(): readonly Agent[] {
    const first = this.get(this.defaultName);
    return [first, ...[...this.#agents.values()].filter((agent) => agent !== first)];
  }
}
