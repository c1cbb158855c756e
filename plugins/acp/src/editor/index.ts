import { definePlugin } from '@parleyhq/core';
import { agentSocket } from '../as-agent/socket-door.ts';
import { commands } from '../commands.ts';
import { makeEditorDoor } from './door.ts';
import { acpPermission, acpQuestion } from './tools.ts';

/** What every server has: the door for agents in editors (ACP2), and Parley as an agent (ACP3). */
export const acpEditor = definePlugin({
  name: 'acp-editor',
  version: '0.1.0',
  tools: [],
  doorTools: [acpPermission, acpQuestion],
  doors: [makeEditorDoor()],
  sockets: [agentSocket],
  commands,
});
