import { type PluginState, type PluginStateStore, StoreError } from '@parleyhq/core';
import { makePluginState, toRefusal } from '@parleyhq/runtime';

export interface ChatStateOptions {
  readonly store: PluginStateStore;
  /** Name of what the values belong to: the plugin and the configured notifier. */
  readonly owner: string;
  /** Whether a value contains a secret, which must not be stored. */
  readonly hasSecret: (value: unknown) => boolean;
}

/**
 * Returns the state of a chat's plugin. Errors of the store have the codes that other calls of a chat throw, so that the plugin knows
 * what to have delivered again (CHAT1, DUR8).
 */
export function makeChatState({ store, owner, hasSecret }: ChatStateOptions): PluginState {
  const state = makePluginState(store, owner, undefined, hasSecret);
  return {
    get: (key) => state.get(key).catch(refuse),
    set: (key, value) => state.set(key, value).catch(refuse),
    delete: (key) => state.delete(key).catch(refuse),
  };
}

function refuse(error: unknown): never {
  throw error instanceof StoreError ? toRefusal(error) : error;
}
