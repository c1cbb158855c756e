import { type Agent, outsideAgent } from '@parleyhq/core';
import {
  AgentRegistry,
  CallGates,
  type CallServices,
  defaultDurations,
  defaultTurnLimits,
  type Extension,
  GrantCover,
  GrantService,
  makeMatcher,
  type Node,
  noPeers,
  PromptTimers,
  publishTo,
  ReEntries,
  Reviewers,
  SecretExchange,
  type Secrets,
  type SessionPorts,
  SessionRuntime,
  Subscriptions,
  type ToolRegistry,
} from '@parleyhq/runtime';
import { readGiven } from './given-file.ts';
import type { CallStore, MemoryLog } from './memory-log.ts';
import { makeStageLog, type Output } from './stage-log.ts';

/** What a process has of its own: it ends with the process. */
export interface ProcessParts {
  readonly node: Node;
  readonly store: CallStore;
  readonly secrets: Secrets;
}

/** What a process finds when it starts. */
export interface Surroundings {
  readonly log: MemoryLog;
  readonly registry: ToolRegistry;
  readonly output: Output;
  /** Returns who could answer (INT14). */
  readonly availability: CallServices['asking']['availability'];
  readonly nextTurnId: () => string;
}

const ignore = () => undefined;

/** Creates the parts of a server that run calls, and connects them. */
export function compose({ node, store, secrets }: ProcessParts, options: Surroundings) {
  const log = makeStageLog(options.output, secrets);
  const { registry } = options;
  const secretExchange = new SecretExchange();
  const reEntries = new ReEntries({ steadyMs: defaultDurations.steadyMs, onSteady: ignore });
  const grants = new GrantService({
    ...{ log, store: store.grants, tools: registry, node },
    news: { changed: ignore, given: () => cover.cover(undefined) },
  });
  const cover: GrantCover = new GrantCover({
    grants,
    findCoverable: () => [options.log.record.session.id],
    open: () => runtime,
    log,
  });
  const expire = async (_: string, id: string, deadline: number) => (await runtime).expire(id, deadline);
  const timers = new PromptTimers({ node, restartGraceMs: defaultDurations.restartGraceMs, expire, log });
  const logOf = () => ({ debug: ignore, info: ignore, warn: ignore, error: ignore });
  const stopping = new AbortController().signal;
  const reviewers = new Reviewers({}, { log, logOf, limitMs: defaultDurations.reviewMs, stopping });
  const calls: CallServices = {
    toolbox: {
      registry,
      policies: [],
      gates: new CallGates([], { log, limitMs: defaultDurations.gateMs }),
      reviewers,
    },
    grants,
    asking: {
      durations: defaultDurations,
      availability: options.availability,
      patience: () => ({ timeoutMs: defaultDurations.interactionTimeoutMs }),
      reached: ignore,
    },
    host: {
      ...{ node, store, log, secrets, secretExchange, errorDetail: { logsMessages: true }, ran: ignore, slept: ignore },
      files: { isThere: true, read: async (_, file) => readGiven(file) },
    },
    callbacks: {
      addressOf: async ({ toolCallId, key }) => `https://parley.test/callbacks/${nameCallback(toolCallId, key)}`,
      returnAddressOf: async ({ toolCallId, key }) =>
        `https://parley.test/return?state=${nameCallback(toolCallId, key)}`,
    },
    reEntries,
  };
  const extensions: readonly Extension[] = [
    { name: 'timers', follow: (change) => timers.follow(change) },
    { name: 'waiters', follow: (change) => change.session.wake(change) },
    { name: 'tabs', follow: (change) => change.session.broadcast(change) },
    { name: 'covering', follow: (change) => cover.follow(change) },
  ];
  const ports: SessionPorts = {
    store,
    facts: (agent, matches = makeMatcher(ignore)) => ({
      now: node.now(),
      matches,
      plan: { agent, owner: node.id, turnId: options.nextTurnId() },
    }),
    publishing: {
      publish: publishTo(extensions, log),
      refused: ignore,
      subscriptions: new Subscriptions(),
      publishToPeers: noPeers.publish,
    },
    pluginOf: (toolName, agent) => grants.pluginOf(toolName, agent),
    secretExchange,
    freshLoginMs: defaultDurations.freshLoginMs,
    log,
  };
  const agents = new AgentRegistry([noAgent], { defaultName: noAgent.name });
  const turns = { agents, calls, limits: defaultTurnLimits, cover: () => cover.cover(undefined) };
  const runtime = SessionRuntime.load(ports, turns, options.log.record).then((loaded) => {
    if (loaded.session.row.seq > 0) {
      loaded.session.announce();
      loaded.recover();
    }
    reEntries.begin(false);
    reEntries.open();
    return loaded;
  });
  return { calls, runtime };
}

/** The agent of a session whose calls come from outside: it never writes. */
const noAgent: Agent = { name: outsideAgent, async *run() {} };

function nameCallback(toolCallId: string, key: string): string {
  return encodeURIComponent(`${toolCallId}.${key}`);
}
