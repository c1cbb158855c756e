import type { Awaitable } from '../basics/awaitable.ts';
import type { RefusalError, WireErrorCode } from '../basics/error.ts';
import type { Json } from '../basics/json.ts';
import type { CodedError } from '../log/event.ts';
import type { Caller } from '../log/outside.ts';
import type { InteractionResponse } from '../prompt/interaction.ts';
import type { Principal } from '../prompt/role.ts';
import type { PluginLog } from './tool.ts';

export const doorMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type DoorMethod = (typeof doorMethods)[number];

/** Who may use a door: a program with a token, a person with a token or a log-in, or everybody. */
export const doorAccesses = ['program', 'person', 'none'] as const;

/** Largest `maxBytes` of a door, whose bodies are kept in memory, in bytes. */
export const maxDoorBytes = 16 * 1024 * 1024;

/** Why `signal` of a door aborted: the `code` of its reason. */
export type DoorEnd = 'disconnected' | 'unauthorised' | 'timeout' | 'stopped';

/** A call that a door makes on behalf of its caller. It ends with the request: it cannot be repeated or fetched (ASK4). */
export interface DoorCall {
  /** The caller's name for the session of the call, which is created at its first use. */
  readonly channel: string;
  readonly toolName: string;
  readonly args: Json;
  /** Title of the session, if this call creates it. Default: the name in `from`, or the caller's */
  readonly title?: string;
  /** Description of the program that asks: shown to people as such, and not verified. */
  readonly from?: Caller | undefined;
  /** Withdraws the call once it aborts; a text as its reason is shown as the note of the withdrawal. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns the title and the caller for calls of a program that works in a folder: people know its sessions by the folder's name. */
export function describeFolder(program: string, folder: string): Pick<DoorCall, 'title' | 'from'> {
  const name = folder.split(/[\\/]/).findLast((part) => part !== '');
  return {
    title: (name ?? program).slice(0, 200),
    from: { name: program, ...(folder !== '' && { detail: folder.slice(0, 1000) }) },
  };
}

/** Outcome of a call, with the answers of people in their order. `delivered` is false if a secret was left out of it. */
export interface DoorOutcome {
  readonly result?: Json;
  readonly error?: CodedError;
  readonly delivered?: false;
  readonly answers: readonly InteractionResponse[];
}

/** Services for one request. */
export interface DoorContext {
  readonly log: PluginLog;
  /**
   * Aborts when the caller disconnects, its token or log-in ends during `call`, the time is up, or the server stops; the reason
   * has one of these as its `code`: see `DoorEnd`. Except for a stop, nothing that the handler returns afterwards is sent.
   */
  readonly signal: AbortSignal;
  /**
   * Returns the body as JSON, with every number exactly as it was written.
   * @throws RefusalError `bad_frame` if it is not JSON, is nested too deeply, or its Content-Type is not `application/json`
   */
  json(): unknown;
  /** Makes an error to throw, which is sent with the status of its code. Other errors become `internal`, and are logged. */
  refuse(code: WireErrorCode, message?: string): RefusalError;
}

/** Services for a request whose sender is known. */
export interface CallerContext extends DoorContext {
  readonly caller: Principal;
  /**
   * Calls a tool on behalf of the caller, with its role and quotas, and waits for as long as it takes. Meanwhile the request counts
   * as a connection of the caller, and ends with its token (SEC9, SEC11).
   * @returns undefined if `signal` aborted first, or the request ended: the call is then withdrawn
   * @throws RefusalError `forbidden`, `rate_limited`, `invalid` or `not_supported` if the call could not begin
   */
  call(call: DoorCall): Promise<DoorOutcome | undefined>;
  /**
   * Returns the effect of the strictest policy of the server that matches one of these names; undefined if none has one (APR3).
   * A policy that has calls reviewed asks here: reviewers see calls of the server's own tools only (LESS3).
   */
  policyFor(names: readonly string[]): 'allow' | 'ask' | 'deny' | undefined;
}

interface DoorPlace {
  readonly method: DoorMethod;
  /**
   * Relative, such as `events`: below `/plugins/<name of the plugin>/`. Absolute, such as `/hooks/events`: exactly this path, of
   * at least two parts, which neither the server nor another plugin uses.
   */
  readonly path: string;
  /** Maximum size of a request's body, in bytes; at most 16 MiB. Default: 256 KiB */
  readonly maxBytes?: number;
}

/** A door whose callers present a token or a log-in, which is checked before the handler runs. */
export interface GuardedDoor extends DoorPlace {
  /** `program`: every token, and on a server without tokens an asker. `person`: every token and log-in except askers'. */
  readonly access: 'program' | 'person';
  /** How long a request may take, in ms, including what it waits for; null for no limit. Default: 30 s */
  readonly timeoutMs?: number | null;
  handle(request: Request, context: CallerContext): Awaitable<Response>;
}

/** A door for everybody: its handler must verify the sender itself, for example by a signature of the body. */
export interface OpenDoor extends DoorPlace {
  readonly access: 'none';
  /** How long a request may take, in ms. Default: 30 s */
  readonly timeoutMs?: number;
  handle(request: Request, context: DoorContext): Awaitable<Response>;
}

/**
 * An HTTP route of a plugin. Host and Origin, the credential, the rate and the size of the body are checked before its handler
 * runs. The request has neither the caller's token nor its cookies, and its body is read already; the response is sent as a whole,
 * without cookies, and opens in browsers without scripts.
 */
export type Door = GuardedDoor | OpenDoor;
