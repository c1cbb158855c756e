import {
  checkSubcommands,
  type Door,
  doorAccesses,
  doorMethods,
  findMemberFault,
  hasVisible,
  isRecord,
  maxDoorBytes,
  type Notifier,
  type Plugin,
  type Reviewer,
  type Shape,
  type SocketDoor,
  type Tool,
  type View,
  viewHeight,
} from '@parleyhq/core';
import { longestTimerMs } from '../node/clock.ts';

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isFunction = (value: unknown) => typeof value === 'function';
const isSwitch = (value: unknown) => typeof value === 'boolean';
const isMcpServer = (value: unknown) => isRecord(value) && value.kind === 'mcp' && isText(value.name);
const isWithin = (value: unknown, most: number) => typeof value === 'number' && value >= 1 && value <= most;
const isOneOf = (value: unknown, all: readonly unknown[]) => all.includes(value);
const isSchema = (value: unknown) => isRecord(value) || isFunction(value); // the schemas of arktype are functions

/** Allowed types of each member of a plugin, with words for error messages. */
const pluginMembers: Shape<Plugin> = {
  name: [isText, 'a string'],
  version: [isText, 'a string'],
  configSchema: [isSchema, 'a zod schema or JSON Schema'],
  tools: [Array.isArray, 'a list of tools'],
  agents: [Array.isArray, 'a list of agents'],
  notifiers: [Array.isArray, 'a list of notifiers'],
  reviewers: [Array.isArray, 'a list of reviewers'],
  doors: [Array.isArray, 'a list of doors'],
  sockets: [Array.isArray, 'a list of sockets'],
  doorTools: [Array.isArray, 'a list of tools'],
  commands: [Array.isArray, 'a list of commands'],
  views: [isRecord, 'an object of views'],
  covers: [isFunction, 'a function'],
  suggestRules: [isFunction, 'a function'],
  onToolCall: [isFunction, 'a function'],
  setup: [isFunction, 'a function'],
  dispose: [isFunction, 'a function'],
};

/** Allowed types of each member of a tool. */
const toolMembers: Shape<Tool> = {
  name: [isText, 'a string'],
  description: [(value) => typeof value === 'string' && hasVisible(value), 'a sentence for the agent that calls it'],
  parameters: [isSchema, 'a zod schema or JSON Schema'],
  approval: [
    (value) => value === 'never' || value === 'always' || isFunction(value),
    '"never", "always" or a function',
  ],
  describe: [isFunction, 'a function'],
  rules: [isFunction, 'a function'],
  readOnly: [isSwitch, 'true or false'],
  durable: [isSwitch, 'true or false'],
  hibernates: [isSwitch, 'true or false'],
  edits: [isSwitch, 'true or false'],
  asking: [isSwitch, 'true or false'],
  endsWithRequest: [isSwitch, 'true or false'],
  onInterrupted: [(value) => value === 'ask' || value === 'retry' || value === 'fail', '"ask", "retry" or "fail"'],
  source: [isMcpServer, '{ kind: "mcp", name: a string }'],
  revision: [isText, 'a string'],
  isChanged: [isSwitch, 'true or false'],
  timeoutMs: [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
  handler: [isFunction, 'a function'],
};

/** Allowed types of each member of a notifier. */
const notifierMembers: Shape<Notifier> = {
  name: [isText, 'a string'],
  configSchema: [isSchema, 'a zod schema or JSON Schema'],
  notify: [isFunction, 'a function'],
  update: [isFunction, 'a function'],
  listen: [isFunction, 'a function'],
  howToLink: [(value) => isText(value) && value.includes('{code}'), 'a sentence with "{code}"'],
};

/** Allowed types of each member of a reviewer. */
const reviewerMembers: Shape<Reviewer> = {
  name: [isText, 'a string'],
  configSchema: [isSchema, 'a zod schema or JSON Schema'],
  review: [isFunction, 'a function'],
};

/** Allowed types of each member of a view. */
const viewMembers: Shape<View> = {
  entry: [(value) => isText(value) || value instanceof URL, 'the path or the address of an HTML file'],
  html: [isText, 'an HTML page'],
  height: [
    (value) => typeof value === 'number' && value >= viewHeight.least && value <= viewHeight.most,
    `a number of pixels from ${viewHeight.least} to ${viewHeight.most}`,
  ],
  app: [
    (value) => isRecord(value) && isText(value.server) && isTexts(value.connects) && isTexts(value.loads),
    '{ server: a string, connects: a list of origins, loads: a list of origins }',
  ],
};

/** Parts without `.` and `..`, which clients remove. */
const doorPathPattern = /^\/?(?!\.{1,2}(\/|$))[\w.~-]+(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/;
const isDoorPath = (value: unknown) => typeof value === 'string' && doorPathPattern.test(value);
const pathWords = 'parts of letters, digits, "-", "_", "." and "~", such as "events" or "/hooks/events"';

/** Allowed types of each member of a door. A door that forgot its `access` must not be open to everybody. */
const doorMembers: Shape<Door> = {
  method: [(value) => isOneOf(value, doorMethods), quoteAll(doorMethods), 'required'],
  path: [isDoorPath, pathWords, 'required'],
  access: [
    (value) => isOneOf(value, doorAccesses),
    `${quoteAll(doorAccesses)}, whose handler verifies the sender itself`,
    'required',
  ],
  maxBytes: [(value) => isWithin(value, maxDoorBytes), `a number of bytes from 1 to ${maxDoorBytes}`],
  timeoutMs: [
    (value) => value === null || isWithin(value, longestTimerMs),
    `a number of milliseconds from 1 to ${longestTimerMs}, or null`,
  ],
  handle: [isFunction, 'a function', 'required'],
};

/** Allowed types of each member of a socket. */
const socketMembers: Shape<SocketDoor> = {
  path: [isDoorPath, pathWords, 'required'],
  translate: [isFunction, 'a function', 'required'],
};

const toolNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const nameRule = 'a name has at most 64 letters, digits, "-" and "_", and begins with a letter';

/**
 * Checks a plugin's members: a misspelt one would silently do nothing, and `aproval` must not make a tool that needs no approval
 * (PLG2, PLG8).
 * @throws Error
 */
export function requirePlugin(plugin: Plugin): void {
  const fault = findMemberFault(plugin, pluginMembers);
  if (fault !== undefined) throw new Error(`Plugin "${plugin.name}": ${fault}`);
  for (const notifier of plugin.notifiers ?? []) requireNotifier(notifier, `Plugin "${plugin.name}"`);
  for (const reviewer of plugin.reviewers ?? []) requireReviewer(reviewer, `Plugin "${plugin.name}"`);
  for (const [index, door] of (plugin.doors ?? []).entries()) requireDoor(door, `Plugin "${plugin.name}"`, index + 1);
  for (const socket of plugin.sockets ?? []) requireSocket(socket, `Plugin "${plugin.name}"`);
  checkSubcommands(plugin);
  for (const [name, view] of Object.entries(plugin.views ?? {})) requireView(name, view, `Plugin "${plugin.name}"`);
  if (plugin.suggestRules && !plugin.covers)
    throw new Error(`Plugin "${plugin.name}" suggests rules, so it needs a function "covers".`);
  for (const tool of [...plugin.tools, ...(plugin.doorTools ?? [])]) requireCovers(plugin, tool);
}

/** @throws Error if a tool offers rules and its plugin has no `covers` (APR7) */
export function requireCovers({ name, covers }: Plugin, tool: Tool): void {
  if (tool.rules === undefined || covers) return;
  throw new Error(`Plugin "${name}": tool "${tool.name}" offers rules, so the plugin needs a function "covers".`);
}

/** @throws Error naming the plugin, the tool and the invalid member */
export function requireTool(tool: Tool, place: string): void {
  if (typeof tool.name !== 'string' || !toolNamePattern.test(tool.name)) {
    throw new Error(`${place} has a tool ${describeName(tool.name)}: ${nameRule}.`);
  }
  if (tool.handler === undefined) throw new Error(`${place}: tool "${tool.name}" has no handler.`);
  const fault = findMemberFault(tool, toolMembers);
  if (fault !== undefined) throw new Error(`${place}: tool "${tool.name}": ${fault}`);
  if (tool.description === undefined) {
    throw new Error(`${place}: tool "${tool.name}" has no description: agents choose tools by it.`);
  }
}

function requireNotifier(notifier: Notifier, place: string): void {
  if (typeof notifier.name !== 'string' || !toolNamePattern.test(notifier.name)) {
    throw new Error(`${place} has a notifier ${describeName(notifier.name)}: ${nameRule}.`);
  }
  if (notifier.notify === undefined) throw new Error(`${place}: notifier "${notifier.name}" has no "notify".`);
  const fault = findMemberFault(notifier, notifierMembers);
  if (fault !== undefined) throw new Error(`${place}: notifier "${notifier.name}": ${fault}`);
}

function requireReviewer(reviewer: Reviewer, place: string): void {
  if (typeof reviewer.name !== 'string' || !toolNamePattern.test(reviewer.name)) {
    throw new Error(`${place} has a reviewer ${describeName(reviewer.name)}: ${nameRule}.`);
  }
  if (reviewer.review === undefined) throw new Error(`${place}: reviewer "${reviewer.name}" has no "review".`);
  const fault = findMemberFault(reviewer, reviewerMembers);
  if (fault !== undefined) throw new Error(`${place}: reviewer "${reviewer.name}": ${fault}`);
}

/** @param position - of the door in its list, from 1 */
function requireDoor(door: Door, place: string, position: number): void {
  const path = isRecord(door) && isText(door.path) ? JSON.stringify(door.path) : position;
  const fault = findDoorFault(door);
  if (fault !== undefined) throw new Error(`${place}: door ${path}: ${fault}`);
}

function requireSocket(socket: SocketDoor, place: string): void {
  const fault = findMemberFault(socket, socketMembers);
  if (fault !== undefined) throw new Error(`${place}: socket ${JSON.stringify(socket.path)}: ${fault}`);
}

function findDoorFault(door: Door): string | undefined {
  const fault = findMemberFault(door, doorMembers);
  if (fault !== undefined) return fault;
  if (door.access === 'none' && door.timeoutMs === null)
    return 'its "timeoutMs" must be a number, because its callers are unknown.';
  return undefined;
}

/** Describes an invalid name; it is missing if the member `name` is misspelt. */
function describeName(name: unknown): string {
  return name === undefined ? 'without a "name"' : `with the invalid name ${JSON.stringify(name)}`;
}

function requireView(name: string, view: View, place: string): void {
  if (!toolNamePattern.test(name)) {
    throw new Error(`${place} has a view ${describeName(name)}: ${nameRule}.`);
  }
  const fault = findMemberFault(view, viewMembers);
  if (fault !== undefined) throw new Error(`${place}: view "${name}": ${fault}`);
  if ((view.entry === undefined) === (view.html === undefined))
    throw new Error(`${place}: view "${name}" needs an "entry" or "html".`);
}

/** Returns names as `"a", "b" or "c"`. */
function quoteAll(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}
