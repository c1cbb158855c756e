import type { SocketDoor } from '@parleyhq/core';
import { AcpAgent } from './acp-agent.ts';

/** The path at which Parley is an agent of the protocol. */
export const agentPath = '/acp';

/** Parley as an agent, over WebSocket: one message of JSON-RPC in each text frame (ACP3). */
export const agentSocket: SocketDoor = {
  path: agentPath,
  translate: (line) => new AcpAgent(line),
};
