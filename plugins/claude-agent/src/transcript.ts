import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '@parley/core';

/** A line of the SDK's own record of a session; only what is looked at here is typed. */
interface Entry {
  readonly type: string;
  readonly uuid?: string;
  readonly message?: { readonly id?: string; readonly content?: unknown };
}

/** A session of the SDK that holds one call back, as its `defer` leaves it; it goes when the call has run. */
export interface Branch {
  readonly sessionId: string;
  remove(): Promise<void>;
}

/** Whether a session of the SDK can be taken up at this entry. */
export async function hasEntry(configDir: string, sessionId: string, uuid: string): Promise<boolean> {
  for (const file of await listTranscripts(configDir)) {
    if (!file.endsWith(`/${sessionId}.jsonl`)) continue;
    return (await readFile(file, 'utf8')).includes(`"uuid":"${uuid}"`);
  }
  return false;
}

/**
 * A copy of the session up to the message with this call, and the call marked as deferred: whatever became of the process
 * that had it, the next one runs it. Undefined where no session knows the call.
 */
export async function branchAt(configDir: string, toolUseId: string): Promise<Branch | undefined> {
  for (const file of await listTranscripts(configDir)) {
    const text = await readFile(file, 'utf8');
    if (!text.includes(`"id":${JSON.stringify(toolUseId)}`)) continue;
    const entries = text.split('\n').flatMap(parseLine);
    const call = entries.findLast((entry) => findCall(entry, toolUseId));
    const messageId = call?.message?.id;
    if (!call || messageId === undefined) continue;
    const last = entries.findLastIndex((entry) => entry.type === 'assistant' && entry.message?.id === messageId);
    const sessionId = randomUUID();
    const kept = entries.slice(0, last + 1);
    const lines = [...kept, deferredMark(kept.at(-1) as Entry, findCall(call, toolUseId) as Record<string, unknown>)];
    const copy = join(file, '..', `${sessionId}.jsonl`);
    const rename = (entry: object) => JSON.stringify('sessionId' in entry ? { ...entry, sessionId } : entry);
    await writeFile(copy, `${lines.map(rename).join('\n')}\n`, { mode: 0o600 });
    return { sessionId, remove: () => rm(copy, { force: true }) };
  }
  return undefined;
}

async function listTranscripts(configDir: string): Promise<string[]> {
  const projects = join(configDir, 'projects');
  const names = await readdir(projects, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(projects, name));
}

function parseLine(line: string): Entry[] {
  if (line === '') return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return []; // a kill cut it off
  }
}

function findCall({ type, message }: Entry, toolUseId: string): Record<string, unknown> | undefined {
  if (type !== 'assistant' || !Array.isArray(message?.content)) return undefined;
  return message.content.find((block) => isRecord(block) && block.type === 'tool_use' && block.id === toolUseId);
}

/** What the SDK itself writes when a hook says `defer`. */
function deferredMark(after: Entry, call: Record<string, unknown>): object {
  const { message: _, requestId: __, ...around } = after as Entry & { readonly requestId?: string };
  return {
    ...around,
    parentUuid: after.uuid,
    uuid: randomUUID(),
    type: 'attachment',
    attachment: {
      type: 'hook_deferred_tool',
      toolUseID: call.id,
      toolName: call.name,
      toolInput: call.input,
      hookName: 'settings',
      hookEvent: 'PreToolUse',
      permissionMode: 'default',
    },
  };
}
