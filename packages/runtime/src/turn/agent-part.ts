import {
  type AgentPart,
  type InnerCall,
  isDeeper,
  isRecord,
  type Json,
  storedDepth,
  suggestName,
  ToolError,
  toToolError,
} from '@parleyhq/core';
import { toJsonText } from '../tools/tool-result.ts';

/** Maximum length of a call's id: the ids of its prompts, which add a number, must fit into an answer's frame (INT2). */
const longestCallId = 180;

/** Replaces arguments that nest too deeply. No tool accepts a string, so the model gets an error (AGT6). */
const tooDeep = `Left out: the arguments nest deeper than ${storedDepth} levels.`;

type Loose = Readonly<Record<string, unknown>>;
type Refuse = (words: string) => ToolError;
type WrittenCall = Extract<AgentPart, { type: 'tool_call' }>;

const readers: { [Type in AgentPart['type']]: (part: Loose) => Extract<AgentPart, { type: Type }> } = {
  text: ({ text }) => ({ type: 'text', text: readText(text, 'text', refusePart) }),
  thinking: ({ text }) => ({ type: 'thinking', text: readText(text, 'text', refusePart) }),
  tool_input: ({ toolCallId, text }) => ({
    type: 'tool_input',
    toolCallId: readText(toolCallId, 'toolCallId', refusePart),
    text: readText(text, 'text', refusePart),
  }),
  block_end: () => ({ type: 'block_end' }),
  tool_call: (part) => readCall(part, refusePart),
  // only the agent reads it
  record: ({ value }) => ({ type: 'record', value: readJson(value, 'value', refusePart, Number.POSITIVE_INFINITY) }),
  restart: ({ error }) => ({ type: 'restart', error: readError(error) }),
  usage: ({ usage }) => ({ type: 'usage', usage: readJson(usage, 'usage', refusePart) }),
};

/**
 * Copies a part that an agent yielded, with only the members of its type and only JSON (PLG8).
 * @throws ToolError `invalid_outcome` naming the invalid member
 */
export function readPart(part: unknown): AgentPart {
  if (!isRecord(part)) throw refusePart('must be an object, as in { type: "text", text: "Hello" }.');
  const { type } = part;
  if (typeof type === 'string' && Object.hasOwn(readers, type)) return readers[type as AgentPart['type']](part);
  const known = Object.keys(readers);
  const hint = typeof type === 'string' ? suggestName(type.slice(0, 40), known) : '';
  throw refusePart(`type: must be one of ${known.join(', ')}.${hint}`);
}

/** Checks what `run` returned, because the error of `for await` would not help its author. @throws ToolError `invalid_outcome` */
export function requireParts(parts: unknown): void {
  if (typeof parts === 'object' && parts !== null && (Symbol.asyncIterator in parts || Symbol.iterator in parts))
    return;
  throw new ToolError('invalid_outcome', 'The agent returned no parts: "run" must be an async generator (async *run).');
}

/** Reads a call that a handler makes, like `readPart` one of a message. @throws ToolError `tool_error` naming the member */
export function readInnerCall(call: unknown): WrittenCall & Pick<InnerCall, 'from'> {
  if (!isRecord(call)) throw refuseInner('needs an object, as in ctx.callTool({ toolName, args, from }).');
  return { ...readCall(call, refuseInner), from: readText(call.from, 'from', refuseInner) };
}

/** Makes the error for a call id that is taken: a second call could have no result of its own. */
export function refuseTaken(toolCallId: string, isInner: boolean): ToolError {
  const refuse = isInner ? refuseInner : refusePart;
  return refuse(
    `toolCallId: a call of this session is named "${toolCallId}" already. Leave it out, or make it unique.`,
  );
}

function readCall({ toolCallId, toolName, args }: Loose, refuse: Refuse): WrittenCall {
  return {
    type: 'tool_call',
    ...(toolCallId !== undefined && { toolCallId: readCallId(toolCallId, refuse) }),
    toolName: readText(toolName, 'toolName', refuse),
    args: isDeeper(args, storedDepth) ? tooDeep : readJson(args ?? null, 'args', refuse),
  };
}

function readCallId(id: unknown, refuse: Refuse): string {
  if (typeof id === 'string' && id !== '' && id.length <= longestCallId) return id;
  throw refuse(`toolCallId: must be a text of 1 to ${longestCallId} characters, or left out.`);
}

function readText(text: unknown, member: string, refuse: Refuse): string {
  if (typeof text === 'string') return text;
  throw refuse(`${member}: must be a text.`);
}

function readError(error: unknown): { code: string; message: string } {
  if (isRecord(error) && typeof error.code === 'string' && typeof error.message === 'string') return toToolError(error);
  throw refusePart('error: must be an object with the texts "code" and "message".');
}

function readJson(value: unknown, member: string, refuse: Refuse, maxDepth?: number): Json {
  if (value === undefined) throw refuse(`${member}: must be JSON.`);
  let text: string;
  try {
    text = toJsonText(value, member, maxDepth);
  } catch (error) {
    throw refuse(`${member}: not JSON: ${toToolError(error).message}.`);
  }
  return JSON.parse(text);
}

function refusePart(words: string): ToolError {
  return new ToolError('invalid_outcome', `A part of the agent's message: ${words}`);
}

function refuseInner(words: string): ToolError {
  return new ToolError('tool_error', `ctx.callTool: ${words}`);
}
