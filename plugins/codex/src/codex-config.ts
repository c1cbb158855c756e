import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type AskingProgram, ExitError, isRecord, type ServerAccess, type SettingsFile } from '@parleyhq/core';
import { parse } from 'smol-toml';
import { type CodexHook, findCodexHook } from './codex-trust.ts';
import { findSections, type Section } from './toml-sections.ts';

type Table = Readonly<Record<string, unknown>>;

/** Asks Codex for our hook in a settings file, for at most `patienceMs`; undefined if that fails. */
type FindHook = (path: string, patienceMs?: number) => Promise<CodexHook | undefined>;

/** Codex asks through a hook that calls an MCP tool; both are in a TOML settings file. @param find - replaced in tests */
export function makeCodex(find: FindHook = findCodexHook): Required<Pick<AskingProgram, 'examine'>> & AskingProgram {
  return {
    name: 'Codex',
    command: 'codex',
    findSettings: ({ CODEX_HOME, HOME }) => join(CODEX_HOME || join(HOME || homedir(), '.codex'), 'config.toml'),
    describe,
    read(file) {
      const config = new CodexConfig(file);
      return {
        tokens: config.tokens,
        urls: config.urls,
        faults: [
          ...(config.tokens.length === 0 || config.hasTrust
            ? []
            : ['Codex runs the hook only once you trust it: type /hooks in Codex.']),
          ...(config.mode === 'never' ? ['"approval_policy" is "never": nobody is asked.'] : []),
        ],
        mode: config.mode,
        connect: (door) => config.connect(door),
        disconnect: async () => config.disconnect(config.hasRecords ? await find(file.path) : undefined),
      };
    },
    async examine(file) {
      const config = new CodexConfig(file);
      if (config.tokens.length === 0 || !config.hasTrust) return { faults: [], notes: [] };
      const hook = await find(file.path, examinationMs);
      if (!hook) return { faults: [], notes: [unknownTrust] };
      const faults = [
        ...(config.isTrusted(hook) ? [] : [`${lostTrust} parley connect codex --trust trusts it.`]),
        ...(hook.isEnabled ? [] : ['The hook is switched off in Codex: /hooks in Codex switches it on.']),
      ];
      return { faults, notes: [] };
    },
  };
}

export const codex = makeCodex();

/** For people, if the hash of the hook is another than the one that was trusted. */
export const lostTrust = 'Codex does not trust the hook as it is now, and skips it: it was changed or moved.';

/** For people, if Codex cannot be asked for the hash. */
export const unknownTrust =
  'Whether Codex still trusts the hook is not known here, because no "codex app-server" names it: /hooks in Codex shows that.';

/** How long an examination waits for Codex, in ms. */
const examinationMs = 5000;

function describe(door: ServerAccess): string {
  return `${printServer(door)}\n${printHook}`;
}

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

const printHeader = '[mcp_servers.parley]';

function printServer({ url, token, variable }: ServerAccess): string {
  const credential =
    variable === undefined
      ? `http_headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }`
      : `bearer_token_env_var = ${JSON.stringify(variable)}`;
  return `${printHeader}
url = ${JSON.stringify(`${url}/mcp`)}
${credential}
tool_timeout_sec = ${timeout}
`;
}

/** What is changed in a file. */
interface Change {
  /** What is removed of ours: the MCP server, the hook. */
  readonly parts: readonly ('server' | 'hook')[];
  /** The keys of records of trust that are removed as well. */
  readonly trust?: readonly string[];
  /** What replaces the first that is removed. */
  readonly instead?: string;
}

/**
 * The settings file of Codex. Only whole tables are removed or appended, and a changed text is accepted only if it parses to
 * exactly what was meant: so comments and other settings stay as they are.
 */
export class CodexConfig {
  readonly #path: string;
  readonly #text: string;
  /** Whether there was no file before `connect`: an empty one has a blank line before what was added. */
  readonly #isMade: boolean;
  readonly #config: Config;

  /** @throws ExitError if the text is not TOML, or its hooks do not have the form that Codex reads */
  constructor({ path, text }: Pick<SettingsFile, 'path' | 'text'>) {
    const config = read(text ?? '');
    if (!config) throw new ExitError(2, `${path} is not a settings file that Codex could read: it was left as it is.`);
    this.#path = path;
    this.#text = text ?? '';
    this.#isMade = text === undefined || text.startsWith(printHeader);
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

  /** Whether a record says that the user trusts our hook, perhaps as it was once, or a hook that had its place. */
  get hasTrust(): boolean {
    return this.#config.groups.some((group, index) =>
      handlersOf(group).some((handler, at) => isOurs(handler) && `${this.#prefix}${index}:${at}` in this.#records),
    );
  }

  /** Whether this connection may have left records of trust, also for places that the hook had earlier. */
  get hasRecords(): boolean {
    const hasHook = this.#config.groups.flatMap(handlersOf).some(isOurs);
    return hasHook && !this.#isOthers && Object.keys(this.#records).some((key) => key.startsWith(this.#prefix));
  }

  /** Whether the user trusts the hook as it is now, by the key and hash that Codex itself reports. */
  isTrusted({ key, hash }: CodexHook): boolean {
    return tableOf(this.#records[key]).trusted_hash === hash;
  }

  /** Returns the text with this connection in place of an earlier one. @throws ExitError if it cannot be added */
  connect(door: ServerAccess): string {
    const { server, groups } = this.#config;
    if (this.#isOthers)
      throw new ExitError(2, `${this.#path} has another MCP server with the name "parley": it was left as it is.`);
    const ours = groups.filter((group) => handlersOf(group).some(isOurs));
    const hasHook = isDeepStrictEqual(ours, read(printHook)?.groups);
    if (!hasHook) return this.#append(describe(door), { parts: ['server', 'hook'] });
    const added = printServer(door); // a moved hook would lose its trust
    const wanted = read(added);
    if (server === undefined) return this.#append(added, { parts: [] });
    if (isDeepStrictEqual(server, wanted?.server)) return this.#text;
    const change: Change = { parts: ['server'], instead: added };
    return this.#check(this.#edit(change), change, wanted);
  }

  /**
   * Returns the text with the hook marked as trusted by the user, in place of an earlier mark.
   * @throws ExitError if that cannot be done without changing others
   */
  trust(hook: CodexHook): string {
    const { key, hash } = hook;
    const added = `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(hash)}\n`;
    return this.#append(added, { parts: [], trust: [key, ...this.#trustedAs(hook)] });
  }

  /**
   * Returns the text without what is ours; undefined if `connect` made the file and nothing else is in it.
   * @param hook - as Codex reports it: only then is it known whether the record of trust is that of our hook
   * @throws ExitError if something is written in a form that cannot be removed alone
   */
  disconnect(hook?: CodexHook): string | undefined {
    if (this.#isOthers) return this.#text;
    const change: Change = { parts: ['server', 'hook'], trust: hook ? this.#trustedAs(hook) : [] };
    const text = this.#check(this.#edit(change), change);
    return this.#isMade && text.trim() === '' ? undefined : text;
  }

  #append(added: string, change: Change): string {
    const rest = this.#edit(change);
    return this.#check(rest === '' && this.#isMade ? added : `${rest}\n${added}`, change, read(added));
  }

  #edit(change: Change): string {
    const lines = this.#text.split('\n');
    const isEmpty = (line: string | undefined) => line === '' || line === '\r'; // others with blanks alone are a person's
    const found = this.#find(findSections(lines), change);
    const [first] = found;
    const isGlued = first !== undefined && first.from > 0 && !isEmpty(lines[first.from - 1]);
    for (const section of found.toReversed()) {
      const { from, to } = section;
      const added = section === first ? change.instead?.trimEnd().split('\n') : undefined;
      const start = added === undefined && isEmpty(lines[from - 1]) ? from - 1 : from;
      lines.splice(start, to - start, ...(added ?? []));
    }
    const isLast = isGlued && change.instead === undefined && lines.slice(first.from).every(isEmpty);
    if (isLast) lines.length = first.from; // the file had no newline at its end when this was added
    return lines.join('\n');
  }

  #find(sections: readonly Section[], { parts, trust = [] }: Change): readonly Section[] {
    const { groups } = this.#config;
    let [group, handler] = [-1, -1];
    return sections.filter(({ path: [table, name, key], path: { length }, isItem }) => {
      if (table === 'mcp_servers') return name === 'parley' && parts.includes('server');
      if (table !== 'hooks') return false;
      if (name === 'state') return key !== undefined && trust.includes(key);
      if (name !== event) return false;
      if (length === 2) [group, handler] = [group + 1, -1];
      else if (length === 3 && isItem) handler += 1;
      const handlers = handlersOf(groups[group]);
      const isWhole = handlers.length > 0 && handlers.every(isOurs);
      return parts.includes('hook') && (length === 2 ? isWhole : isOurs(handlers[handler]));
    });
  }

  /** Whether the MCP server `parley` is a person's own: then the hooks that call it are, too. */
  get #isOthers(): boolean {
    const { server } = this.#config;
    return server !== undefined && tokenOf(server) === undefined;
  }

  /** What the file says about the user's trust in hooks, by their keys. */
  get #records(): Table {
    return tableOf(this.#config.hooks.state);
  }

  /** How the keys of hooks for permission requests begin; the places of the group and of the hook in it follow. */
  get #prefix(): string {
    return `${this.#path}:permission_request:`;
  }

  /** The keys under which this hook is trusted: other hooks have other hashes. */
  #trustedAs({ hash }: CodexHook): readonly string[] {
    return Object.entries(this.#records).flatMap(([key, record]) =>
      key.startsWith(this.#prefix) && tableOf(record).trusted_hash === hash ? [key] : [],
    );
  }

  /** Returns the text if it parses to the original with this change and with `added`. @throws ExitError otherwise */
  #check(text: string, { parts, trust = [] }: Change, added?: Config): string {
    const { table, servers, hooks, groups } = this.#config;
    const kept = parts.includes('hook') ? groups.flatMap(withoutOurs) : groups;
    const state = omit(this.#records, trust);
    const expected = {
      ...table,
      mcp_servers: { ...omit(servers, parts.includes('server') ? ['parley'] : []), ...added?.servers },
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

function omit(table: Table, names: readonly string[]): Table {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !names.includes(name)));
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
