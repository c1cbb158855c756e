import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '@parleyhq/core';
import type { QueryOptions } from './sdk.ts';

/** The fields used here of an entry in the SDK's transcript file of a session. */
interface SdkEntry {
  readonly type: string;
  readonly uuid?: string;
  readonly message?: { readonly id?: string; readonly content?: unknown };
}

/** A copy of an SDK session with one call deferred; remove it when the call has run. */
export interface Branch {
  readonly sessionId: string;
  remove(): Promise<void>;
}

/** How long to look for an entry, in ms: the SDK writes it shortly after its output, even after its server was killed. */
const patienceMs = 5_000;
const lookMs = 50;

/** Whether the SDK has stored this entry of a session. */
export async function hasEntry(configDir: string, sessionId: string, uuid: string): Promise<boolean> {
  return (await findEntry(configDir, sessionId, uuid)) !== undefined;
}

/**
 * Returns the options with which a process resumes an SDK session after this entry, whatever was written since. A session with
 * a deferred call is copied first, or that call would run again. Undefined if the entry is unknown.
 */
export async function resumeAt(
  configDir: string,
  sessionId: string,
  uuid: string,
): Promise<Pick<QueryOptions, 'resume' | 'resumeSessionAt'> | undefined> {
  const found = await findEntry(configDir, sessionId, uuid);
  if (!found) return undefined;
  if (!found.text.includes('"hook_deferred_tool"')) return { resume: sessionId, resumeSessionAt: uuid };
  const entries = readEntries(found.text);
  const copy = await writeCopy(found.file, entries.slice(0, entries.findIndex((entry) => entry.uuid === uuid) + 1));
  return { resume: copy.sessionId, resumeSessionAt: uuid };
}

/**
 * Copies the session up to the message with this call and marks the call as deferred, so that the next process runs it,
 * whatever happened to the last one. Undefined if the call is in no session.
 */
export async function branchAt(configDir: string, toolUseId: string): Promise<Branch | undefined> {
  const found = await lookFor(configDir, (file, text) => {
    const entries = text.includes(toolUseId) ? cutAt(text, toolUseId) : undefined;
    return entries && { file, entries };
  });
  return found && writeCopy(found.file, found.entries);
}

function findEntry(configDir: string, sessionId: string, uuid: string) {
  return lookFor(configDir, (file, text) =>
    file.endsWith(`${sessionId}.jsonl`) && text.includes(`"uuid":"${uuid}"`) ? { file, text } : undefined,
  );
}

async function writeCopy(file: string, entries: readonly object[]): Promise<Branch> {
  const sessionId = randomUUID();
  const copy = join(file, '..', `${sessionId}.jsonl`);
  const rename = (entry: object) => JSON.stringify('sessionId' in entry ? { ...entry, sessionId } : entry);
  await writeFile(copy, `${entries.map(rename).join('\n')}\n`, { mode: 0o600 });
  return { sessionId, remove: () => rm(copy, { force: true }) };
}

/** Returns the entries up to the end of the message with the call, followed by the mark that defers it. */
function cutAt(text: string, toolUseId: string): object[] | undefined {
  const entries = readEntries(text);
  const message = entries.findLast((entry) => findCall(entry, toolUseId))?.message;
  const last = entries.findLastIndex((entry) => entry.type === 'assistant' && entry.message?.id === message?.id);
  const after = entries[last];
  const call = message && findCall({ type: 'assistant', message }, toolUseId);
  return after && call && [...entries.slice(0, last + 1), deferredMark(after, call)];
}

async function lookFor<T>(configDir: string, look: (file: string, text: string) => T | undefined) {
  for (const giveUpAt = Date.now() + patienceMs; ; await sleep(lookMs)) {
    for (const file of await listTranscripts(configDir)) {
      const found = look(file, await readFile(file, 'utf8'));
      if (found !== undefined) return found;
    }
    if (Date.now() > giveUpAt) return undefined;
  }
}

async function listTranscripts(configDir: string): Promise<string[]> {
  const projects = join(configDir, 'projects');
  const names = await readdir(projects, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(projects, name));
}

function readEntries(text: string): SdkEntry[] {
  return text.split('\n').flatMap(parseLine);
}

function parseLine(line: string): SdkEntry[] {
  if (line === '') return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return []; // the process was killed while writing the line
  }
}

function findCall({ type, message }: SdkEntry, toolUseId: string): Record<string, unknown> | undefined {
  if (type !== 'assistant' || !Array.isArray(message?.content)) return undefined;
  return message.content.find((block) => isRecord(block) && block.type === 'tool_use' && block.id === toolUseId);
}

/** Returns the entry that the SDK writes when a hook returns `defer`. */
function deferredMark(after: SdkEntry, call: Record<string, unknown>): object {
  const { message: _, requestId: __, ...around } = after as SdkEntry & { readonly requestId?: string };
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
