import { claudeCode } from './claude-settings.ts';
import { type ConnectFlags, connectProgram, type DisconnectFlags, disconnectProgram } from './connect.ts';

/** `parley connect claude`: the permission requests of Claude Code also appear here (ASK7). */
export function connectClaude(flags: ConnectFlags): Promise<void> {
  return connectProgram(claudeCode, flags);
}

export function disconnectClaude(flags: DisconnectFlags): Promise<void> {
  return disconnectProgram(claudeCode, flags);
}
