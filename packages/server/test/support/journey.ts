import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChatEvent, Grant, InteractionRequest, Json, Payload, Plugin } from '@parleyhq/core';
import { vi } from 'vitest';
import type { Tab, TabOptions } from './tab.ts';

/** Returns the path of a plugin file of the tests. */
export function pluginPath(name: string): string {
  return fileURLToPath(new URL(`../plugins/${name}`, import.meta.url));
}

/** Loads the default export of a plugin file of the tests. */
export async function loadPlugin(name: string): Promise<Plugin> {
  return (await import(pluginPath(name))).default;
}

/** Loads a plugin that ships with the command. */
export async function loadShippedPlugin(name: string): Promise<Plugin> {
  return (await import(fileURLToPath(new URL(`../../../../plugins/${name}/src/index.ts`, import.meta.url)))).default;
}

/** A server that tabs can be opened at. */
interface Door {
  open(options?: TabOptions): Promise<Tab>;
}

/** A tab in a new session, with helpers for tests. */
export class Journey {
  readonly tab: Tab;
  readonly session: string;

  private constructor(tab: Tab, session: string) {
    this.tab = tab;
    this.session = session;
  }

  static async begin(server: Door, options?: TabOptions): Promise<Journey> {
    const tab = await server.open(options);
    const session = await tab.createSession();
    await tab.follow(session);
    return new Journey(tab, session);
  }

  /** Opens the same session in another tab. */
  async join(server: Door, options?: TabOptions): Promise<Journey> {
    const tab = await server.open(options);
    await tab.follow(this.session);
    return new Journey(tab, this.session);
  }

  call(toolName: string, args: object = {}): Promise<{ seq: number; queued?: boolean }> {
    return this.tab.say(this.session, `/call ${toolName} ${JSON.stringify(args)}`);
  }

  /** Calls a tool and gets its first prompt. */
  async ask(toolName: string, args: object = {}): Promise<InteractionRequest> {
    const { seq } = await this.call(toolName, args);
    return this.tab.prompt(this.session, seq);
  }

  /** Waits for the session's requests, until there are this many. */
  async prompts(count: number): Promise<InteractionRequest[]> {
    let left = count;
    await this.tab.until(
      (frame) =>
        frame.type === 'chat_event' &&
        frame.sessionId === this.session &&
        frame.event.type === 'interaction_request' &&
        --left === 0,
    );
    return this.events('interaction_request').map(({ payload }) => payload as InteractionRequest);
  }

  /** Waits for the prompt that replaces this one. */
  async next(last: InteractionRequest): Promise<InteractionRequest> {
    const accepts = ({ payload }: ChatEvent<'interaction_request'>) => payload.replaces === last.interactionId;
    return (await this.tab.event(this.session, 'interaction_request', accepts)).payload;
  }

  answer(prompt: InteractionRequest, answer: object): ReturnType<Tab['answer']> {
    return this.tab.answer(this.session, prompt, answer);
  }

  submit(prompt: InteractionRequest, input: object): ReturnType<Tab['answer']> {
    return this.answer(prompt, { action: 'submit', input });
  }

  event<Type extends ChatEvent['type']>(
    type: Type,
    accepts?: (event: ChatEvent<Type>) => boolean,
    after?: number,
  ): Promise<ChatEvent<Type>> {
    return this.tab.event(this.session, type, accepts, after);
  }

  /** Waits for the result of the given prompt's call, or of the first call. */
  async outcome(prompt?: InteractionRequest): Promise<Pick<Payload<'tool_result'>, 'result' | 'error'>> {
    const accepts = ({ payload }: ChatEvent<'tool_result'>) =>
      prompt === undefined || payload.toolCallId === prompt.toolCallId;
    const { result, error } = (await this.event('tool_result', accepts)).payload;
    return error ? { error } : { result: result as Json };
  }

  /** Calls a tool that asks nobody. */
  async run(toolName: string, args: object = {}): Promise<Pick<Payload<'tool_result'>, 'result' | 'error'>> {
    const { seq } = await this.call(toolName, args);
    const { result, error } = (await this.event('tool_result', undefined, seq)).payload;
    return error ? { error } : { result: result as Json };
  }

  /** Returns the id of the grant that the answer to a prompt gave. */
  async grantOf({ interactionId }: InteractionRequest): Promise<string> {
    const { grants } = await this.tab.ask<{ grants: Grant[] }>({ type: 'list_grants', sessionId: this.session });
    return grants.find((grant) => grant.interactionId === interactionId)?.id ?? 'none';
  }

  /** Returns all settlements of a prompt; INT3 allows one. */
  settlements({ interactionId }: InteractionRequest): ChatEvent[] {
    return this.events('interaction_response', 'interaction_closed').filter(
      ({ payload }) => 'interactionId' in payload && payload.interactionId === interactionId,
    );
  }

  /** Returns the events of these types that the tab received; of all types, if none is given. */
  events<T extends ChatEvent['type']>(...types: T[]): ChatEvent<T>[] {
    const isAsked = (event: ChatEvent): event is ChatEvent<T> =>
      types.length === 0 || types.some((type) => type === event.type);
    return this.tab.events(this.session).filter(isAsked);
  }

  /** Waits for the agent's text after the calls. */
  async words(after?: number): Promise<string> {
    return (await this.event('assistant_done', undefined, after)).payload.text;
  }
}

/** Makes a form with one text field. */
export function question(id = 'answer', change: object = {}): object {
  const inputSchema = { type: 'form', fields: [{ id, type: 'text', label: id }] };
  return { type: 'input', prompt: `${id}?`, inputSchema, ...change };
}

/** A server whose plugins store files. */
interface WithFiles {
  readonly dataDir: string;
}

/** Reads what the plugin has recorded so far under this name. */
export async function readEffects(server: WithFiles, notes: string): Promise<string[]> {
  const text = await readFile(join(server.dataDir, 'plugins/scripted/effects'), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => (line.startsWith(`${notes} `) ? [line.slice(notes.length + 1)] : []));
}

/** Waits until the plugin has recorded it. */
export function effect(server: WithFiles, notes: string, line: string): Promise<void> {
  return vi.waitFor(
    async () => {
      if (!(await readEffects(server, notes)).includes(line)) throw new Error(`the plugin did not note "${line}"`);
    },
    { timeout: 10_000, interval: 10 },
  );
}

/** Lets a scripted step continue. */
export function release(server: WithFiles, name: string): Promise<void> {
  return appendFile(join(server.dataDir, 'plugins/scripted', name), '');
}
