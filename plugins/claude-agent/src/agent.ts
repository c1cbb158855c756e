import { type Agent, ToolError } from '@parleyhq/core';
import { makeAskUserQuestion } from './ask-user-question.ts';
import { type MessageRecord, readBriefing } from './briefing.ts';
import { CallContext } from './call-context.ts';
import { hasAsked, makeChooseFolder, needsFolder } from './choose-folder.ts';
import { chooseFolderName } from './chosen-folder.ts';
import { Conversation } from './conversation.ts';
import { makeExitPlanMode } from './exit-plan-mode.ts';
import { MessageReader, toCallPart } from './message-reader.ts';
import { makeSdkTool, sdkTools } from './permission.ts';
import { loadSdk, type SettingSource } from './sdk.ts';
import { makeSubAgent } from './sub-agent.ts';
import { makeWorkspace, removeWorkspace, type WorkspaceOptions } from './workspace.ts';

export interface ClaudeAgentOptions extends WorkspaceOptions {
  /** The folder in which the SDK is installed, if not next to Parley. */
  readonly sdk?: string | undefined;
  /** Added to Claude Code's own system prompt. */
  readonly systemPrompt?: string | undefined;
  /** The model, instead of the server's. */
  readonly model?: string | undefined;
  /** Which of Claude Code's own settings are read. */
  readonly settingSources: readonly SettingSource[];
  /** How long a process waits for people before it ends, in ms. */
  readonly liveMs: number;
  /** How long a question stays open, in ms; null for ever. */
  readonly promptTimeoutMs: number | null;
}

export interface ClaudeAgent extends Agent {
  /** Ends all processes. The next server continues to wait for whatever they were waiting for. */
  dispose(): Promise<void>;
}

/** SDK tools that only ask a person. They wait in their hook, because the SDK can defer a call only there. */
const askingTools = ['AskUserQuestion', 'ExitPlanMode'];

/**
 * The Claude Agent SDK as an agent. The SDK's own loop is interrupted at each message: a run writes one message, Parley runs its
 * calls, and the SDK continues when their results are in the log.
 *
 * @param read returns the options; callable once the plugin is set up
 */
export function claudeAgent(read: () => ClaudeAgentOptions): ClaudeAgent {
  const conversations = new Map<string, Conversation>();
  /** Conversations whose turn is over but whose process has not exited yet, with their session ids. */
  const ending = new Map<Conversation, string>();
  const find = (sessionId: string): Conversation => {
    const known = conversations.get(sessionId) ?? open(sessionId);
    conversations.set(sessionId, known);
    return known;
  };
  const open = (sessionId: string): Conversation => {
    const { sdk, systemPrompt, model, settingSources, liveMs } = read();
    return new Conversation(sessionId, {
      load: () => loadSdk(sdk),
      open: (id) => makeWorkspace(id, read()),
      tools: [...askingTools, ...sdkTools.map(({ name }) => name), 'Agent'],
      deferring: new Set(askingTools),
      systemPrompt,
      model,
      settingSources,
      liveMs,
    });
  };
  const desk = new CallContext(find, () => read().promptTimeoutMs);
  return {
    name: 'claude-agent',
    description: 'Claude Code through the Claude Agent SDK, a paid service.',
    tools: [
      makeAskUserQuestion(desk),
      makeChooseFolder(desk, read),
      makeExitPlanMode(desk),
      makeSubAgent(desk),
      ...sdkTools.map((tool) => makeSdkTool(desk, tool)),
    ],
    async *run(turn, signal) {
      if (await needsFolder(turn.sessionId, read())) {
        if (await hasAsked(turn))
          throw new ToolError('no_folder', 'No folder was chosen. The next message asks again.');
        yield { type: 'tool_call', toolName: chooseFolderName, args: {} };
        return;
      }
      const conversation = find(turn.sessionId);
      const stop = () => void conversation.stop();
      signal.addEventListener('abort', stop, { once: true });
      const briefing = await readBriefing(turn);
      const reader = new MessageReader(briefing.usage);
      const process = await conversation.proceed(turn, briefing);
      if (signal.aborted) return stop();
      yield* reader.read(process);
      const { calls, usage } = reader;
      const position = conversation.setPosition({ ...reader.position, hasCalls: calls.length > 0 });
      const record: MessageRecord = { agent: 'claude-agent', ...position, usage };
      yield { type: 'record', value: record };
      for (const call of calls) yield toCallPart(call);
      if (calls.length > 0) return; // the process waits for their results
      signal.removeEventListener('abort', stop);
      conversation.end();
      conversations.delete(turn.sessionId);
      ending.set(conversation, turn.sessionId);
      void conversation.exited().then(() => ending.delete(conversation));
    },
    async forget(sessionId) {
      const live = conversations.get(sessionId);
      conversations.delete(sessionId);
      const ended = [...ending.keys()].filter((conversation) => ending.get(conversation) === sessionId);
      await Promise.all([...(live ? [live] : []), ...ended].map((conversation) => conversation.close()));
      await removeWorkspace(sessionId, read());
    },
    async dispose() {
      await Promise.all([...conversations.values()].map((conversation) => conversation.release()));
    },
  };
}
