import { isUtf8 } from 'node:buffer';
import { type FileReference, isPicture, isRecord, type OutsideCall } from '@parleyhq/core';
import type { CallFiles } from '../../extensions/programs/call-files.ts';
import type { CallOutcome } from '../../extensions/programs/call-outcome.ts';
import type { Programs } from '../../extensions/programs/run-for-caller.ts';
import type { McpAnswer, McpContent } from './mcp-answer.ts';

/** How many bytes of files an answer carries; the addresses of the others are in it. Clients hold an answer in memory. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Adds the files that somebody attached to an answer: images as such, others as resources, and links to those that are too large
 * (REV6).
 */
export async function attachFiles(
  { calls, files, log }: Pick<Programs, 'calls' | 'files' | 'log'>,
  call: OutsideCall,
  { files: own, result }: CallOutcome,
  answer: McpAnswer,
): Promise<McpAnswer> {
  const shown: unknown = own ?? (isRecord(result) ? result.files : undefined);
  if (!Array.isArray(shown)) return answer;
  const content: McpContent[] = [];
  let left = maxBytes;
  for (const file of await findFiles({ calls, log }, call)) {
    const { url } = shown.find((each) => isRecord(each) && each.fileId === file.fileId) ?? {};
    if (typeof url !== 'string') continue; // the tool's own member
    const bytes = file.size <= left ? await readWhole(files, call, file) : undefined;
    if (bytes) left -= file.size;
    content.push(describeFile(file, url, bytes));
  }
  return { ...answer, content: [...answer.content, ...content] };
}

/** Returns none if the log cannot be read now: the answer is worth more, and can be fetched again with them. */
async function findFiles(
  { calls, log }: Pick<Programs, 'calls' | 'log'>,
  call: OutsideCall,
): Promise<readonly FileReference[]> {
  try {
    const { end } = await calls.readLife(call);
    return end?.payload.files ?? [];
  } catch (error) {
    log.warn({ error, toolCallId: call.toolCallId }, 'the files of an answer could not be read: it goes without them');
    return [];
  }
}

/** Returns undefined for a file that cannot be read: the answer is worth more, and whoever follows the link learns why. */
async function readWhole(files: CallFiles, call: OutsideCall, file: FileReference): Promise<Buffer | undefined> {
  try {
    const bytes = await files.read(call, file);
    return bytes && Buffer.from(await new Response(bytes).arrayBuffer());
  } catch {
    return undefined;
  }
}

function describeFile({ name, mediaType: mimeType, size }: FileReference, uri: string, content?: Buffer): McpContent {
  if (!content) return { type: 'resource_link', uri, name, mimeType, size };
  if (isPicture({ mediaType: mimeType })) return { type: 'image', data: content.toString('base64'), mimeType };
  // text in another encoding would be garbled
  const isText = /^(text\/.*|application\/(json|xml|yaml))$/.test(mimeType) && isUtf8(content);
  const said = isText ? { text: content.toString() } : { blob: content.toString('base64') };
  return { type: 'resource', resource: { uri, mimeType, ...said } };
}
