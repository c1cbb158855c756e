import { RefusalError } from '@parleyhq/core';

/** A command was decided on one that was refused in the store for its own sake: nothing is wrong with this one (SEC9). */
export class UndoneError extends RefusalError {
  constructor() {
    super('retry_later');
  }
}

/** Decides again as often as the state that it was decided on is undone. */
export async function repeatUndone<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UndoneError)) throw error;
    }
  }
}

export function isUnauthorised(error: unknown): boolean {
  return error instanceof RefusalError && error.code === 'unauthorised';
}
