import type { Json } from '../basics/json.ts';

/** A key-value store per plugin and session. Values are JSON; `undefined` deletes. */
export interface PluginState {
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json | undefined): Promise<void>;
  delete(key: string): Promise<void>;
}
