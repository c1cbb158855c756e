import { isDeepStrictEqual } from 'node:util';
import { isDeeper, storedDepth } from '@parleyhq/core';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** A block of a request, typed as far as the rules need. */
export interface SentBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
  readonly cache_control?: unknown;
}

export interface SentMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly SentBlock[];
}

export interface SentTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly $schema?: unknown; readonly type?: unknown; readonly properties?: object };
}

/** The body of a request from the agent under test. */
export interface SentBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly system?: readonly SentBlock[];
  readonly messages: readonly SentMessage[];
  readonly tools?: readonly SentTool[];
  readonly tool_choice?: { readonly type: string };
  readonly thinking?: unknown;
}

/** Messages of the model by the ids of their calls; some providers use an id twice. */
export type Issued = ReadonlyMap<string, ReadonlySet<readonly SentBlock[]>>;

/**
 * Returns why the Messages API would refuse a request. Stricter than the real one: roles must alternate, ids of calls are short, and a
 * message with calls must come back exactly as written, block by block.
 *
 * @param issued - the messages sent so far, by the ids of their calls
 */
export function findFault(body: SentBody, issued: Issued): string | undefined {
  const { messages, tools = [], system = [] } = body;
  const budget = (body.thinking as { budget_tokens?: number } | undefined)?.budget_tokens ?? 0;
  if (budget >= body.max_tokens) return 'max_tokens: must be greater than thinking.budget_tokens';
  if (body.stream !== true) return 'stream: must be true here';
  if (messages[0]?.role !== 'user') return 'messages: the first message must be of the user';
  const tool = tools.find((each) => !isTool(each));
  if (tool) return `tools: ${tool.name} is not a valid tool`;
  if (body.tool_choice && tools.length === 0) return 'tool_choice: may only be specified while providing tools';
  const blocks = [...system, ...messages.flatMap(({ content }) => content)];
  if (blocks.filter((block) => block.cache_control).length > 4) return 'cache_control: at most four are allowed';
  if (blocks.some(({ type, text }) => type === 'text' && !text?.trim())) return 'messages: text must not be empty';
  if (hasHalfPair(blocks)) return 'the request is not valid JSON: it has half of a surrogate pair';
  const call = blocks.find((block) => block.type === 'tool_use' && !isCall(block));
  if (call) return `tool_use ${call.id}: id, name or input is not valid`;
  const ids = messages.flatMap(callsOf);
  if (new Set(ids).size < ids.length) return 'messages: `tool_use` ids must be unique';
  for (const [index, message] of messages.entries()) {
    const fault = findMessageFault(message, messages[index - 1], messages[index + 1], issued);
    if (fault !== undefined) return `messages.${index}: ${fault}`;
  }
  if (tools.length === 0 && ids.length > 0) return 'tools: must be given if messages have tool_use blocks';
  return undefined;
}

function findMessageFault(
  { role, content }: SentMessage,
  before: SentMessage | undefined,
  after: SentMessage | undefined,
  issued: Issued,
): string | undefined {
  if (role === before?.role) return 'two messages of one role in a row';
  if (content.length === 0) return 'content must not be empty';
  if (role === 'assistant' && content.at(-1)?.type.endsWith('thinking')) return 'the last block must not be thinking';
  const results = content.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id ?? '');
  const calls = callsOf(before);
  const orphan = results.find((id) => !calls.includes(id));
  if (orphan !== undefined) return `unexpected tool_use_id ${orphan} in tool_result blocks`;
  if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    return 'tool_result blocks come first';
  const open = callsOf({ role, content }).filter((id) => !resultsOf(after).includes(id));
  if (open.length > 0) return `tool_use ids without tool_result blocks in the next message: ${open.join(', ')}`;
  const changed = callsOf({ role, content }).find((id) => !isVerbatim(content, issued.get(id)));
  return changed && `the message with ${changed} is not what was written: blocks cannot be modified`;
}

const drafts = new Ajv2020({ strict: false, validateFormats: false, logger: false });

function isTool({ name, input_schema: { $schema: _, ...schema } }: SentTool): boolean {
  const { type, properties = {} } = schema;
  const hasChoice = ['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema);
  const isNamed = Object.keys(properties).every((property) => /^[\w.-]{1,64}$/.test(property));
  const isValid = drafts.validateSchema(schema) === true;
  return /^[\w-]{1,128}$/.test(name) && type === 'object' && !hasChoice && isNamed && isValid;
}

function isCall({ id = '', name = '', input }: SentBlock): boolean {
  return /^[\w-]{1,180}$/.test(id) && /^[\w-]{1,128}$/.test(name) && isObject(input);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a message is sent back as written; blocks that the API would refuse may be repaired. */
function isVerbatim(content: readonly SentBlock[], issued: Iterable<readonly SentBlock[]> = [content]): boolean {
  const messages = [...issued];
  const ids = messages.flat().map(({ id }) => id);
  const isRepeated = ({ id }: SentBlock) => id !== undefined && ids.indexOf(id) < ids.lastIndexOf(id);
  const isRefused = (block: SentBlock) =>
    hasHalfPair(block) ||
    (block.type === 'tool_use' && (!isCall(block) || isRepeated(block) || isDeeper(block.input, storedDepth)));
  const isSame = (block: SentBlock, before: SentBlock | undefined) =>
    before?.type === block.type && (isDeepStrictEqual(bareOf(block), bareOf(before)) || isRefused(before));
  return messages.some(
    (written) => written.length === content.length && content.every((block, at) => isSame(block, written[at])),
  );
}

function bareOf({ cache_control: _, ...block }: SentBlock): object {
  return block;
}

function hasHalfPair(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHalfPair);
}

function callsOf(message: SentMessage | undefined): string[] {
  return message?.content.flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : [])) ?? [];
}

function resultsOf(message: SentMessage | undefined): string[] {
  return message?.content.flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' && id ? [id] : [])) ?? [];
}
