import type { ApprovalScope, Plugin, Principal, Tool } from '@parleyhq/core';
import type { LogLine } from './log-line.ts';
import { World } from './world.ts';

/** Ann, an operator, who requested the turn and gives all answers unless a reaction names somebody else. */
export const ann: Principal = { id: 'ann', name: 'Ann', role: 'operator' };

export interface StageOptions {
  /** Person who requested the turn and answers. */
  readonly person?: Principal;
  /** Whether anybody is connected who could answer (INT14). */
  readonly available?: boolean;
  /** Initial time, in ms since 1970. */
  readonly now?: number;
}

/**
 * The state that calls of one session share: time, grants, the plugin's state, people. Calls on one stage run in parallel, like
 * those of one message.
 */
export class Stage {
  readonly person: Principal;
  available: boolean;
  /** Tools that the plugin last passed to `setTools`. */
  readonly tools: Tool[] = [];
  /** Lines that plugins logged, and the server's warnings. */
  readonly log: LogLine[] = [];

  constructor({ person = ann, available = true, now = Date.parse('2026-03-01T09:00:00Z') }: StageOptions = {}) {
    this.person = person;
    this.available = available;
    World.open(this, { now, log: this.log, tools: this.tools, isAvailable: () => this.available });
  }

  get now(): number {
    return World.of(this).clock.now;
  }

  /** Lasting consents, by the name of their key. */
  get grants(): ReadonlyMap<string, ApprovalScope> {
    return new Map(World.of(this).log.grants.all.map(({ key, scope }) => [key, scope]));
  }

  /** Runs a plugin's `setup` like a server at its start. @throws Error if the config is invalid, or `setup` fails */
  async setUp(
    plugin: Plugin,
    { config = {}, dataDir = '' }: { config?: unknown; dataDir?: string } = {},
  ): Promise<void> {
    await World.of(this).setUp(plugin, config, dataDir);
  }

  /**
   * Advances the time, once running code has come to its next wait. Expired prompts and waits end in order and their tools
   * continue; tools that wait for nobody use up their own time. @param ms - duration
   */
  async advance(ms: number): Promise<void> {
    await World.of(this).clock.advance(ms);
  }
}
