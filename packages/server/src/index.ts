export { demoAgent } from './agent/demo.ts';
export { makeToken } from './auth.ts';
export type { Principal } from './client.ts';
export { type Durations, defaultDurations } from './runtime.ts';
export { requireSafeAddress } from './safe-address.ts';
export { ParleyServer, type ServerOptions } from './server.ts';
export { openSqliteStore } from './store/sqlite.ts';
export type { DirectHandlers, DirectLink } from './transport/direct.ts';
export { WebSocket } from './transport/ws.ts';
