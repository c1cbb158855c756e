import type { TurnId, TurnPlan } from '@parleyhq/core';
import { newId } from '../node/new-id.ts';

/** The turn that a command would begin. Few commands begin one, so its id is made only when asked for. */
export class PlannedTurn implements TurnPlan {
  readonly agent: string;
  readonly model: string | undefined;
  readonly owner: string;
  #turnId: TurnId | undefined;

  constructor({ agent, model, owner }: Omit<TurnPlan, 'turnId'>) {
    this.agent = agent;
    this.model = model;
    this.owner = owner;
  }

  get turnId(): TurnId {
    this.#turnId ??= newId();
    return this.#turnId;
  }
}
