import { randomInt } from 'node:crypto';
import {
  type Plugin,
  type PluginLog,
  pathOf,
  type Reviewed,
  type Reviewer,
  type ReviewRequest,
  type ReviewResult,
  readReviewResult,
  suggestName,
} from '@parleyhq/core';
import { readableOf, readSchema } from '@parleyhq/core/schemas';
import type { Logger } from 'pino';
import { SettingsError } from '../log/settings-error.ts';
import { limitTime } from '../node/limit-time.ts';
import type { Policy } from '../tools/policy.ts';
import { isPassed, type Review, toReviewed } from '../tools/review.ts';

/** A plugin's reviewer with a configuration, under a name that policies use. */
export interface ReviewerSettings {
  readonly reviewer: string;
  /** The reviewer's own name by default. */
  readonly name?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** What the server's options say of reviewers. */
export interface ReviewersOptions {
  readonly plugins?: readonly Plugin[];
  readonly reviewers?: readonly ReviewerSettings[];
  /** Returns a random number from 0 up to, but not including, 1 that nobody can predict. */
  readonly draw?: () => number;
}

export interface ReviewersHost {
  readonly log: Logger;
  logOf(plugin: string): PluginLog;
  /** Time allowed to a review unless its policy says otherwise, in ms. */
  readonly limitMs: number;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** What came of a review, and whether the call runs without a person. */
export interface JudgedReview {
  readonly reviewed: Reviewed;
  readonly isPassed: boolean;
}

interface OpenedReviewer {
  readonly plugin: string;
  readonly reviewer: Reviewer;
  readonly config: unknown;
  readonly log: PluginLog;
}

/** Number of reviews at the same time; a person is asked about further calls at once. */
const mostAtOnce = 32;

/** Runs the reviewers that policies name. Whatever is not a clear pass asks a person (LESS3). */
export class Reviewers {
  readonly #options: ReviewersOptions;
  readonly #host: ReviewersHost;
  readonly #opened = new Map<string, OpenedReviewer>();
  readonly #known = new WeakMap<object, Promise<JudgedReview | undefined>>();
  #running = 0;

  constructor(options: ReviewersOptions, host: ReviewersHost) {
    this.#options = options;
    this.#host = host;
  }

  /** Reads the configuration. @throws SettingsError that names what is invalid, or a policy whose reviewer does not exist */
  async open(policies: readonly Policy[]): Promise<void> {
    const { plugins = [], reviewers: settings = [] } = this.#options;
    const known = findReviewers(plugins);
    for (const { reviewer: wanted, name = wanted, config = {} } of settings) {
      const found = known.get(wanted);
      if (!found)
        throw new SettingsError(`reviewers: there is no reviewer "${wanted}".${suggestName(wanted, known.keys())}`);
      if (this.#opened.has(name))
        throw new SettingsError(`reviewers: two are called "${name}": give one another "name".`);
      this.#opened.set(name, await this.#read(name, found, config));
    }
    for (const { tool, effect, reviewer } of policies) {
      if (effect !== 'review' || (reviewer !== undefined && this.#opened.has(reviewer))) continue;
      const found = known.get(reviewer ?? '');
      if (reviewer === undefined || !found) {
        const names = new Set([...this.#opened.keys(), ...known.keys()]);
        const similar = reviewer === undefined ? '' : suggestName(reviewer, names);
        const hint = similar || ' Name it in the setting reviewers, with its config.';
        throw new SettingsError(`policies: "${tool}" names no reviewer that exists: "${reviewer}".${hint}`);
      }
      this.#opened.set(reviewer, await this.#read(reviewer, found, {})); // needs no settings
    }
  }

  /**
   * Returns the result of `work`, which runs once for each `call`: preparing it anew must neither review it again nor draw
   * another lot.
   */
  once(call: object, work: () => Promise<JudgedReview | undefined>): Promise<JudgedReview | undefined> {
    const known = this.#known.get(call) ?? work();
    this.#known.set(call, known);
    return known;
  }

  async review(review: Review, request: ReviewRequest, signal: AbortSignal | undefined): Promise<JudgedReview> {
    const reviewed = toReviewed(review, await this.#run(review, request, signal));
    const { draw = drawLot } = this.#options;
    return { reviewed, isPassed: isPassed(review, reviewed, draw()) };
  }

  async #run(
    { reviewer: name, timeoutMs = this.#host.limitMs }: Review,
    request: ReviewRequest,
    over: AbortSignal | undefined,
  ): Promise<ReviewResult | { readonly fault: string }> {
    const { log, stopping } = this.#host;
    const logged = { reviewer: name, tool: request.toolName, toolCallId: request.toolCallId };
    const opened = this.#opened.get(name);
    if (!opened) return { fault: 'This reviewer does not exist.' };
    if (this.#running >= mostAtOnce) {
      log.warn(logged, 'too many calls are being reviewed: a person is asked');
      return { fault: 'Too many calls were being reviewed.' };
    }
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, stopping, ...(over ? [over] : [])]);
    this.#running += 1;
    try {
      const { reviewer, config } = opened;
      // a copy, so that a reviewer cannot change the arguments that run
      const work = () => reviewer.review(structuredClone(request), { config, log: opened.log, signal });
      // raced within the limit, whose timer would otherwise keep a stopped server's process alive
      const race = () => Promise.race([work(), whenAborted(signal)]);
      const found: unknown = await limitTime(timeoutMs, race, refuseLate);
      const result = readReviewResult(found);
      if (result) return result;
      log.warn(logged, 'a reviewer must return { verdict: "pass" or "ask", reason: a text }: a person is asked');
      return { fault: 'Its result was not valid.' };
    } catch (error) {
      log.warn({ ...logged, error }, 'a review failed: a person is asked');
      return { fault: error instanceof LateReview ? 'It did not answer in time.' : 'It failed.' };
    } finally {
      this.#running -= 1;
      ended.abort();
    }
  }

  async #read(
    name: string,
    { plugin, reviewer }: { readonly plugin: string; readonly reviewer: Reviewer },
    given: Readonly<Record<string, unknown>>,
  ): Promise<OpenedReviewer> {
    const log = this.#host.logOf(plugin);
    if (!reviewer.configSchema) return { plugin, reviewer, config: given, log };
    const { schema } = readSchema(reviewer.configSchema, `Reviewer "${reviewer.name}": its configSchema`);
    const result = await schema['~standard'].validate(given);
    if (!result.issues) return { plugin, reviewer, config: result.value, log };
    const faults = result.issues.map((issue) => `${pathOf(issue).join('.') || 'config'}: ${readableOf(issue.message)}`);
    throw new SettingsError(`reviewers: the config of "${name}" does not fit: ${faults.join('; ')}`);
  }
}

const drawLot = () => randomInt(2 ** 32) / 2 ** 32;

class LateReview extends Error {}

const refuseLate = (ms: number) => new LateReview(`it did not answer within ${ms} ms`);

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new Error('the call or the server ended'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Collects the reviewers of all plugins. @throws SettingsError if two have the same name */
function findReviewers(plugins: readonly Plugin[]): Map<string, { plugin: string; reviewer: Reviewer }> {
  const found = new Map<string, { plugin: string; reviewer: Reviewer }>();
  for (const { name: plugin, reviewers = [] } of plugins)
    for (const reviewer of reviewers) {
      const other = found.get(reviewer.name);
      if (other) throw new SettingsError(`Both "${other.plugin}" and "${plugin}" have a reviewer "${reviewer.name}".`);
      found.set(reviewer.name, { plugin, reviewer });
    }
  return found;
}
