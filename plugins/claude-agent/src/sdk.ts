import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ToolError } from '@parleyhq/core';

const packageName = '@anthropic-ai/claude-agent-sdk';

/** The version of the peer dependency that the tests use; other versions may store sessions differently. */
const testedVersion = '0.3.332';

/** The part of the SDK that is used here. Its own types may be missing because it is optional. */
export interface Sdk {
  query(params: { prompt: AsyncIterable<UserInput>; options: QueryOptions }): Query;
}

export interface Query extends AsyncIterable<SdkMessage> {
  interrupt(): Promise<unknown>;
  close(): void;
}

export type UserBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content: string;
      readonly is_error?: boolean;
    };

export interface UserInput {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: readonly UserBlock[] };
  readonly parent_tool_use_id: null;
}

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

export interface Usage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
}

/** An event of the Messages API. */
export interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly id: string; readonly usage?: Usage };
  readonly content_block?: ContentBlock;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string | null;
  };
  readonly usage?: Usage;
}

interface Nested {
  readonly parent_tool_use_id: string | null;
}

export type SdkMessage =
  | (Nested & { readonly type: 'stream_event'; readonly event: StreamEvent })
  | (Nested & {
      readonly type: 'assistant';
      readonly uuid: string;
      /** Set if the message is the SDK's own, about an API failure. */
      readonly error?: string;
      readonly message: { readonly id: string; readonly content: readonly ContentBlock[] };
    })
  | (Nested & { readonly type: 'user'; readonly message: { readonly content: string | readonly ContentBlock[] } })
  | {
      readonly type: 'result';
      readonly subtype: string;
      readonly is_error: boolean;
      readonly result?: string;
      readonly errors?: readonly string[];
      readonly api_error_status?: number | null;
      readonly terminal_reason?: string;
    }
  | {
      readonly type: 'system';
      readonly subtype: string;
      readonly session_id: string;
      readonly error_status?: number | null;
      readonly retry_delay_ms?: number;
      readonly attempt?: number;
    };

export interface HookInput {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  /** The calls of a batch that has ended. */
  readonly tool_calls?: readonly { readonly tool_name: string; readonly tool_use_id: string }[];
  /** Set inside a sub-agent. */
  readonly agent_id?: string;
  readonly agent_type?: string;
}

export type HookOutput = {
  readonly hookSpecificOutput?: {
    readonly hookEventName: string;
    readonly permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: unknown;
    /** A note to the model. */
    readonly additionalContext?: string;
  };
};

export interface HookMatcher {
  /** Time limit in seconds. */
  readonly timeout: number;
  /** By default the SDK allows a call if its hook fails. */
  readonly onFailure?: 'block';
  readonly hooks: readonly ((input: HookInput) => Promise<HookOutput>)[];
}

export interface PermissionRequest {
  readonly toolUseID: string;
  readonly decisionReason?: string;
  readonly suggestions?: readonly unknown[];
}

export type PermissionResult =
  | { readonly behavior: 'allow'; readonly updatedInput: unknown }
  | { readonly behavior: 'deny'; readonly message: string };

export interface SpawnOptions {
  readonly command: string;
  readonly args: string[];
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
}

export const settingSources = ['user', 'project', 'local'] as const;

/** Which of Claude Code's own settings are read, with CLAUDE.md, rules and MCP servers. */
export type SettingSource = (typeof settingSources)[number];

export interface QueryOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly model?: string;
  readonly permissionMode: 'default' | 'plan';
  /** Folders besides `cwd` whose files the SDK reads without asking: here the one with results that are too large. */
  readonly additionalDirectories: readonly [string];
  readonly settingSources: readonly SettingSource[];
  readonly settings?: object;
  readonly tools: readonly string[];
  readonly systemPrompt?: { readonly type: 'preset'; readonly preset: 'claude_code'; readonly append?: string };
  readonly includePartialMessages: true;
  readonly verbatimPrompts: true;
  readonly sessionId?: string;
  readonly resume?: string;
  readonly resumeSessionAt?: string;
  readonly mcpServers: Readonly<Record<string, object>>;
  readonly hooks: Readonly<Record<string, readonly HookMatcher[]>>;
  readonly canUseTool: (name: string, input: unknown, request: PermissionRequest) => Promise<PermissionResult>;
  readonly spawnClaudeCodeProcess: (options: SpawnOptions) => unknown;
}

const installWords = `It is not bundled with Parley because of its size and its licence. Install it with:
  npm install --no-save ${packageName}@${testedVersion}`;

/**
 * Returns the path of the SDK that is installed in `folder`, by default next to this file.
 * @throws ToolError `sdk_missing`, with how to install it
 */
export function findSdk(folder: string | undefined): string {
  const from = folder === undefined ? import.meta.url : pathToFileURL(join(resolve(folder), 'package.json')).href;
  try {
    return createRequire(from).resolve(packageName);
  } catch (cause) {
    const place = folder === undefined ? '' : ` in ${folder}`;
    throw new ToolError('sdk_missing', `The Claude Agent SDK is not installed${place}. ${installWords}`, { cause });
  }
}

/** Loads the SDK. Called on first use because loading takes a while. */
export async function loadSdk(folder: string | undefined): Promise<Sdk> {
  return import(pathToFileURL(findSdk(folder)).href);
}
