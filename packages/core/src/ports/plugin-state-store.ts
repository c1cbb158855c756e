import type { SessionId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';

/** Small values of plugins: `ctx.state` for each session, `host.state` for the whole server (session undefined). */
export interface PluginStateStore {
  get(plugin: string, sessionId: SessionId | undefined, key: string): Promise<Json | undefined>;
  set(plugin: string, sessionId: SessionId | undefined, key: string, value: Json | undefined): Promise<void>;
}
