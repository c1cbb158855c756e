import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type AskingProgram, ExitError, isRecord, type ServerAccess, type SettingsFile } from '@parleyhq/core';
import { parse } from 'smol-toml';
import { findSections, type Section } from './toml-sections.ts';

type Table = Readonly<Record<string, unknown>>;

/** Codex asks through a hook that calls an MCP tool; both are in a TOML settings file. */
export const codex: AskingProgram = {
  name: 'Codex',
  command: 'codex',
  findSettings: ({ CODEX_HOME, HOME }) => join(CODEX_HOME || join(HOME || homedir(), '.codex'), 'config.toml'),
  describe: (door) => `${printServer(door)}\n${printHook}`,
  isBlank: (text) => text.trim() === '',
  read(file) {
    const config = new CodexConfig(file);
    return {
      tokens: config.tokens,
      urls: config.urls,
      faults: [
        ...(config.tokens.length === 0 || config.isTrusted
          ? []
          : ['Codex runs the hook only once you trust it: type /hooks in Codex.']),
        ...(config.mode === 'never' ? ['"approval_policy" is "never": nobody is asked.'] : []),
      ],
      mode: config.mode,
      connect: (door) => config.connect(door),
      disconnect: () => config.takeOut('server', 'hook', 'trust'),
    };
  },
};

/** How long Codex waits for a person, in s. */
const timeout = 24 * 3600;

const printHook = `[[hooks.PermissionRequest]]
matcher = "*"

[[hooks.PermissionRequest.hooks]]
type = "mcp_tool"
server = "parley"
tool = "permission"
timeout = ${timeout}
statusMessage = "Waiting for an answer in Parley"

[hooks.PermissionRequest.hooks.input]
tool_name = "\${tool_name}"
tool_input = "\${tool_input}"
`;

function printServer({ url, token, variable }: ServerAccess): string {
  const credential =
    variable === undefined
      ? `http_headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }`
      : `bearer_token_env_var = ${JSON.stringify(variable)}`;
  return `[mcp_servers.parley]
url = ${JSON.stringify(`${url}/mcp`)}
${credential}
tool_timeout_sec = ${timeout}
`;
}

/** What can be removed from a file: the MCP server, the hook, and the record that the user trusts the hook. */
type Part = 'server' | 'hook' | 'trust';

/**
 * The settings file of Codex. Only whole tables are removed or appended, and a changed text is accepted only if it parses to
 * exactly what was meant: so comments and other settings stay as they are.
 */
export class CodexConfig {
  readonly #path: string;
  readonly #text: string;
  readonly #config: Config;

  /** @throws ExitError if the text is not TOML, or its hooks do not have the form that Codex reads */
  constructor({ path, text = '' }: Pick<SettingsFile, 'path' | 'text'>) {
    const config = read(text);
    if (!config) throw new ExitError(2, `${path} is not a settings file that Codex could read: it was left as it is.`);
    this.#path = path;
    this.#text = text;
    this.#config = config;
  }

  get tokens(): readonly string[] {
    const token = tokenOf(this.#config.server);
    return token === undefined ? [] : [token];
  }

  get urls(): readonly string[] {
    const { url } = tableOf(this.#config.server);
    return this.tokens.length > 0 && typeof url === 'string' ? [url.replace(/\/mcp$/, '')] : [];
  }

  get mode(): string | undefined {
    const { approval_policy: policy } = this.#config.table;
    return typeof policy === 'string' ? policy : undefined;
  }

  /** Returns the text with this connection in place of an earlier one. @throws ExitError if it cannot be added */
  connect(door: ServerAccess): string {
    const { server, groups } = this.#config;
    if (server !== undefined && tokenOf(server) === undefined)
      throw new ExitError(2, `${this.#path} has another MCP server with the name "parley": it was left as it is.`);
    const ours = groups.filter((group) => handlersOf(group).some(isOurs));
    const hasHook = isDeepStrictEqual(ours, read(printHook)?.groups);
    const added = hasHook ? printServer(door) : codex.describe(door); // a moved hook would lose its trust
    const parts: readonly Part[] = hasHook ? ['server'] : ['server', 'hook', 'trust'];
    const wanted = read(added);
    if (hasHook && isDeepStrictEqual(server, wanted?.server)) return this.#text;
    const rest = this.takeOut(...parts);
    return this.#check(rest === '' ? added : `${rest.replace(/\n?$/, '\n')}\n${added}`, parts, wanted);
  }

  /** Returns the text with the hook marked as trusted by the user, under the key and hash that Codex itself reports. */
  trust({ key, hash }: { readonly key: string; readonly hash: string }): string {
    const added = `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(hash)}\n`;
    return this.#check(`${this.takeOut('trust')}\n${added}`, ['trust'], read(added));
  }

  /** Returns the text without these parts. @throws ExitError if one is written in a form that cannot be removed alone */
  takeOut(...parts: readonly Part[]): string {
    const lines = this.#text.split('\n');
    for (const { from, to } of this.#find(findSections(lines), parts).toReversed()) {
      const start = lines[from - 1]?.trim() === '' ? from - 1 : from;
      lines.splice(start, to - start);
    }
    return this.#check(lines.join('\n'), parts);
  }

  #find(sections: readonly Section[], parts: readonly Part[]): readonly Section[] {
    const { groups } = this.#config;
    let [group, handler] = [-1, -1];
    return sections.filter(({ path: [table, name, key], path: { length }, isItem }) => {
      if (table === 'mcp_servers') return name === 'parley' && parts.includes('server');
      if (table !== 'hooks') return false;
      if (name === 'state') return parts.includes('trust') && this.#trusted.has(String(key));
      if (name !== event) return false;
      if (length === 2) [group, handler] = [group + 1, -1];
      else if (length === 3 && isItem) handler += 1;
      const handlers = handlersOf(groups[group]);
      return parts.includes('hook') && (length === 2 ? handlers.every(isOurs) : isOurs(handlers[handler]));
    });
  }

  get isTrusted(): boolean {
    return this.#trusted.size > 0;
  }

  /** The keys under which Codex records that the user trusts our hooks. */
  get #trusted(): ReadonlySet<string> {
    const places = this.#config.groups.flatMap((group, index) =>
      handlersOf(group).flatMap((handler, at) => (isOurs(handler) ? [`:permission_request:${index}:${at}`] : [])),
    );
    const keys = Object.keys(tableOf(this.#config.hooks.state));
    return new Set(keys.filter((key) => places.some((place) => key === `${this.#path}${place}`)));
  }

  /** Returns the text if it parses to the original without `parts` and with `added`. @throws ExitError otherwise */
  #check(text: string, parts: readonly Part[], added?: Config): string {
    const { table, servers, hooks, groups } = this.#config;
    const kept = parts.includes('hook') ? groups.flatMap(withoutOurs) : groups;
    const state = omit(tableOf(hooks.state), parts.includes('trust') ? this.#trusted : new Set());
    const expected = {
      ...table,
      mcp_servers: { ...omit(servers, new Set(parts.includes('server') ? ['parley'] : [])), ...added?.servers },
      hooks: {
        ...hooks,
        state: { ...state, ...tableOf(added?.hooks.state) },
        [event]: [...kept, ...(added?.groups ?? [])],
      },
    };
    if (isDeepStrictEqual(prune(read(text)?.table), prune(expected))) return text;
    throw new ExitError(
      2,
      `${this.#path} has its hooks or MCP servers in a form that cannot be changed without touching others: it was left as it is. Change it by hand, as --print shows.`,
    );
  }
}

const event = 'PermissionRequest';

/** A parsed file, and the tables in it that matter here. */
interface Config {
  readonly table: Table;
  readonly servers: Table;
  readonly server: unknown;
  readonly hooks: Table;
  readonly groups: readonly unknown[];
}

/** Parses the text; undefined if Codex could not read it. */
function read(text: string): Config | undefined {
  try {
    const table: Table = parse(text);
    const { mcp_servers: servers = {}, hooks = {} } = table;
    if (!isRecord(servers) || !isRecord(hooks)) return undefined;
    const { [event]: groups = [] } = hooks;
    return Array.isArray(groups) ? { table, servers, server: servers.parley, hooks, groups } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a hook was written by `parley connect`, or by hand as the documentation describes. */
function isOurs(handler: unknown): boolean {
  return (
    isRecord(handler) && handler.type === 'mcp_tool' && handler.server === 'parley' && handler.tool === 'permission'
  );
}

/** The token of a Parley server, or `$` and the variable that holds it; undefined for any other MCP server. */
function tokenOf(server: unknown): string | undefined {
  const { http_headers: headers, bearer_token_env_var: variable } = tableOf(server);
  if (typeof variable === 'string' && variable.startsWith('PARLEY_')) return `$${variable}`;
  return /^Bearer (parley_.*)$/.exec(String(tableOf(headers).Authorization))?.[1];
}

function withoutOurs(group: unknown): readonly unknown[] {
  const handlers = handlersOf(group);
  const kept = handlers.filter((handler) => !isOurs(handler));
  if (kept.length === handlers.length) return [group];
  return kept.length === 0 ? [] : [{ ...tableOf(group), hooks: kept }];
}

function handlersOf(group: unknown): readonly unknown[] {
  const { hooks } = tableOf(group);
  return Array.isArray(hooks) ? hooks : [];
}

function tableOf(value: unknown): Table {
  return isRecord(value) ? value : {};
}

function omit(table: Table, keys: ReadonlySet<string>): Table {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !keys.has(key)));
}

/** Returns the value without empty tables and lists, which mean nothing to Codex. */
function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prune);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, prune(part)] as const);
  return Object.fromEntries(entries.filter(([, part]) => !isEmpty(part)));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}
