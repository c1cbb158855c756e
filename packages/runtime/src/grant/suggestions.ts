import {
  type Actor,
  type AllowedRule,
  argsOf,
  type CallArgs,
  canonicalise,
  defaultSuggestAfter,
  type FoundRule,
  findCall,
  findPrompt,
  findRules,
  type Grant,
  type InteractionId,
  isSameJson,
  type Json,
  mayAnswer,
  mayConsent,
  type PastAnswer,
  type Principal,
  personOf,
  type RuleScope,
  type RuleSuggestion,
  readAgain,
  ruleScopes,
  type Store,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import { hashOf } from '../node/hash-of.ts';
import type { Node } from '../node/node.ts';
import { makeGrant, ttlOf } from '../session/grant-from-answer.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { RegisteredTool, ToolRegistry } from '../tools/tool-registry.ts';
import { offerFor } from './asking-grant.ts';
import type { GrantService } from './grant-service.ts';
import { type AnsweredApproval, readAnswers } from './past-answers.ts';
import { keyOfRule } from './rule-cover.ts';

/** Number of cases that a suggestion lists. */
const maxCases = 20;
/** Number of suggestions for a session or a prompt. A longer list would not be read. */
const maxSuggestions = 8;

/** The place of what people declined: with the state of plugins, under a name that no plugin can have. */
const declinedBy = '$suggestions';

export interface SuggestionsOptions {
  /** Number of approvals after which a rule is suggested; 0: none is. */
  readonly suggestAfter: number | undefined;
  readonly registry: Pick<ToolRegistry, 'get'>;
  readonly grants: Pick<GrantService, 'covering'>;
  readonly store: Pick<Store, 'events' | 'index' | 'pluginState'>;
  readonly node: Pick<Node, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A person who is offered rules, in a session. */
export interface Viewer {
  readonly principal: Principal;
  readonly actor: Actor;
}

/** A tool with the outside program that calls it, if it is one that only asks: its grants cover that caller alone (ASK3). */
interface AskedTool {
  readonly registered: RegisteredTool;
  readonly caller: string | undefined;
  /** The arguments of the open prompt for which rules are sought. */
  readonly current?: CallArgs;
}

interface Found extends AskedTool, FoundRule {
  readonly shown: RuleSuggestion;
}

/** What is stored if a person allows a suggested rule. */
export interface SuggestedGrant {
  readonly grant: Grant;
  readonly rule: AllowedRule;
}

/**
 * Suggests rules that would have covered what a person has allowed again and again (LESS2). Everything is computed from the log
 * when somebody looks, and once more when they decide: they can only allow what is suggested at that moment, in these words.
 */
export class Suggestions {
  readonly #options: SuggestionsOptions;
  /** Tools for which a fault of their plugin was logged. */
  readonly #faulty = new Set<string>();

  constructor(options: SuggestionsOptions) {
    this.#options = options;
  }

  /** Lists what is suggested to a person in a session, or for one of its open prompts. */
  async list(
    session: SessionWriter,
    viewer: Viewer,
    interactionId?: InteractionId,
  ): Promise<readonly RuleSuggestion[]> {
    return (await this.#find(session, viewer, interactionId)).map(({ shown }) => shown);
  }

  /** Makes the grant of a rule that is suggested at this moment; undefined if it is not, or not with this scope. */
  async grantOf(
    session: SessionWriter,
    viewer: Viewer,
    { suggestionId, interactionId, scope }: { suggestionId: string; interactionId?: InteractionId; scope: RuleScope },
  ): Promise<SuggestedGrant | undefined> {
    const found = (await this.#find(session, viewer, interactionId)).find(({ shown }) => shown.id === suggestionId);
    const last = found?.cases.at(-1);
    if (!found || !last || !found.shown.scopes.includes(scope)) return undefined;
    const { registered, caller, rule, cases } = found;
    const { id, label, key } = rule;
    const toolName = registered.tool.name;
    const isAsking = registered.tool.asking === true;
    const offer = isAsking ? offerFor({ caller }, { key: '""' }) : undefined;
    const grant = makeGrant(
      session.id,
      {
        interactionId: interactionId ?? last.interactionId,
        toolName,
        plugin: registered.plugin.name,
        key: keyOfRule(registered, key, caller),
        scope,
        by: viewer.actor,
        ttlMs: offer && ttlOf(offer, scope),
        rule: { id, label, key },
      },
      this.#options.node.now(),
    );
    return { grant, rule: { grantId: grant.id, toolName, label, scope, count: cases.length } };
  }

  /** Remembers for good, on all devices and in all sessions of a person, that they do not want this rule suggested. */
  async decline(
    session: SessionWriter,
    viewer: Viewer,
    { suggestionId, interactionId }: { suggestionId: string; interactionId?: InteractionId },
  ): Promise<boolean> {
    const found = (await this.#find(session, viewer, interactionId)).find(({ shown }) => shown.id === suggestionId);
    if (!found) return false;
    const { store, node } = this.#options;
    await store.pluginState.set(declinedBy, undefined, nameDeclined(viewer, found), new Date(node.now()).toISOString());
    return true;
  }

  async #find(
    session: SessionWriter,
    viewer: Viewer,
    interactionId: InteractionId | undefined,
  ): Promise<readonly Found[]> {
    const { suggestAfter = defaultSuggestAfter, store } = this.#options;
    const asked = interactionId === undefined ? undefined : await this.#readAsked(session, viewer, interactionId);
    if (suggestAfter === 0 || (interactionId !== undefined && !asked)) return [];
    const answers = await readAnswers(store, { id: session.id, seq: session.head.seq }, personOf(viewer.actor));
    const found: Found[] = [];
    for (const tool of asked ? [asked] : this.#toolsOf(session, answers))
      found.push(...(await this.#findFor(session, viewer, tool, answers)));
    return found.slice(0, maxSuggestions);
  }

  /** Returns the tool and the arguments of an open prompt for which rules may be suggested to this person. */
  async #readAsked(
    session: SessionWriter,
    { principal }: Viewer,
    interactionId: InteractionId,
  ): Promise<AskedTool | undefined> {
    const { request, state } = findPrompt(session.head, interactionId) ?? {};
    if (!request?.suggests || state !== 'open' || !mayAnswer(principal, request)) return undefined;
    const call = findCall(session.head, request.toolCallId);
    if (!call || session.visibility.hides(principal, call.toolCallId)) return undefined;
    const registered = this.#options.registry.get(call.toolName, agentOf(session));
    const json = request.args === undefined ? argsOf(call) : request.args;
    const current = registered && (await readSame(registered, { written: call.args, json }));
    return current && { registered, caller: call.by?.principal, current };
  }

  /** Returns the tools that people were asked about, each once for each program that called it, the newest first. */
  #toolsOf(session: SessionWriter, answers: readonly AnsweredApproval[]): readonly AskedTool[] {
    const tools = new Map<string, AskedTool>();
    for (const { toolName, caller } of answers.toReversed()) {
      const registered = this.#options.registry.get(toolName, agentOf(session));
      if (!registered) continue;
      const tool = { registered, caller: registered.tool.asking ? caller : undefined };
      const name = JSON.stringify([toolName, tool.caller]);
      if (!tools.has(name)) tools.set(name, tool);
    }
    return [...tools.values()];
  }

  async #findFor(
    session: SessionWriter,
    viewer: Viewer,
    { registered, caller, current }: AskedTool,
    answers: readonly AnsweredApproval[],
  ): Promise<readonly Found[]> {
    const { covers, suggestRules, tool } = registered;
    if (!covers || !suggestRules) return [];
    const past: PastAnswer[] = [];
    for (const { toolName, revision, caller: by, args, isAllowed, shown } of answers) {
      if (toolName !== tool.name || (tool.asking && by !== caller)) continue;
      if (isAllowed && revision !== tool.revision) continue; // the tool was another one (APR3)
      const read = await readSame(registered, args);
      if (read) past.push({ isAllowed, shown, args: () => read.value() });
    }
    const { suggestAfter = defaultSuggestAfter } = this.#options;
    const onFault = (fault: unknown) => this.#warn(registered, fault);
    const wish = { toolName: tool.name, plugin: { covers, suggestRules }, past, suggestAfter, onFault };
    const found: Found[] = [];
    for (const each of findRules({ ...wish, current: current && (() => current.value()) })) {
      const all = { registered, caller, ...each };
      const shown = show(viewer, all);
      if (shown.scopes.length === 0) continue; // this person could only decline it
      if ((await this.#isGiven(session, all)) || (await this.#isDeclined(viewer, all))) continue;
      found.push({ ...all, shown });
    }
    return found;
  }

  /** Logs the first fault of a plugin with a tool: the next ones would be the same. */
  #warn({ tool, plugin }: RegisteredTool, fault: unknown): void {
    if (this.#faulty.has(tool.name)) return;
    this.#faulty.add(tool.name);
    const what = typeof fault === 'string' ? { fault } : { error: fault };
    this.#options.log.warn({ tool: tool.name, plugin: plugin.name, ...what }, 'a plugin could not suggest rules');
  }

  async #isGiven({ id: sessionId }: SessionWriter, { registered, rule, caller }: AskedTool & FoundRule) {
    const key = keyOfRule(registered, rule.key, caller);
    const given = await this.#options.grants.covering({ plugin: registered.plugin.name, key, sessionId });
    return given.length > 0;
  }

  async #isDeclined(viewer: Viewer, found: AskedTool & FoundRule): Promise<boolean> {
    return (
      (await this.#options.store.pluginState.get(declinedBy, undefined, nameDeclined(viewer, found))) !== undefined
    );
  }
}

/** Tools of agents are known by the agent of the turn, and between turns by that of the session. */
function agentOf({ head, row }: SessionWriter): string {
  return head.turn?.agent ?? row.agent;
}

/** Reads arguments as they were shown; undefined if the tool reads them differently today. */
async function readSame(
  { read }: RegisteredTool,
  known: Pick<CallArgs, 'written' | 'json'>,
): Promise<CallArgs | undefined> {
  const args = await readAgain(read, known).catch(() => undefined);
  return args && isSameJson(args.json, known.json) ? args : undefined;
}

/** Identifies the tool, its caller, the rule and its words. */
function identify({ registered, rule, caller }: AskedTool & FoundRule): string {
  const { tool, plugin } = registered;
  const { key, label } = rule;
  const own: Json = { plugin: plugin.name, tool: tool.name, key, label, ...(caller !== undefined && { caller }) };
  return hashOf(canonicalise(own));
}

function nameDeclined({ actor }: Viewer, found: AskedTool & FoundRule): string {
  return `${identify(found)} ${personOf(actor)}`;
}

function show({ principal }: Viewer, found: AskedTool & FoundRule): RuleSuggestion {
  const { registered, rule, cases } = found;
  return {
    id: identify(found),
    toolName: registered.tool.name,
    label: rule.label,
    scopes: ruleScopes.filter((scope) => rule.scopes.includes(scope) && mayConsent(principal, scope)),
    count: cases.length,
    cases: cases.slice(-maxCases).toReversed(),
  };
}
