import { type ToolContext, ToolError, toToolError } from '@parleyhq/core';
import * as z from 'zod';
import { FailedSignInError, type SignIn, SignInNeededError, type SignInPlace } from './sign-in.ts';

export interface SignInDesk {
  readonly ctx: ToolContext;
  readonly server: string;
  readonly signIn: SignIn;
}

/** Maximum number of times that people are asked within one step of a call. */
const maxTimes = 3;
/** How long a person who agreed may take to sign in, in ms. */
const patienceMs = 60 * 60_000;

/** The query parameters with which a browser returns. */
const broughtSchema = z.record(z.string().max(100), z.string().max(4000));

/**
 * Runs `work`, and repeats it after a sign-in if the server requires one: such a server has not processed the request.
 * @throws ToolError `mcp_unauthorised` if nobody signs in; what `work` throws
 */
export type RunSignedIn = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes the function that runs all steps of one call: tokens may expire between any two of them. */
export function makeRunSignedIn(desk: SignInDesk): RunSignedIn {
  let asked = 0;
  return async (work) => {
    for (let time = 1; ; time += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof SignInNeededError)) throw error;
        if (time > maxTimes) throw refuse(desk, 'It rejects every sign-in', error);
        asked += 1;
        await askToSignIn(desk, `sign-in ${asked}`);
      }
    }
  };
}

/** Asks the people of the call, and waits for the browser of the person who agrees. A sign-in elsewhere ends the wait, too. */
async function askToSignIn(desk: SignInDesk, key: string): Promise<void> {
  const { ctx, signIn } = desk;
  const door = await ctx.callback(key, { browser: true });
  const back = new URL(door);
  const state = back.searchParams.get('state') ?? '';
  back.search = '';
  const place = await ctx.step(key, () => begin(desk, { redirectUrl: back.href, state }));
  const done = new AbortController();
  const stop = signIn.watch(() => done.abort(new ToolError('withdrawn', 'Somebody has signed in.')));
  try {
    const { signal } = done;
    const from = await agree(desk, { key, place, door, signal });
    await signIn.finish(
      state,
      await ctx.waitFor(key, broughtSchema, { timeoutMs: patienceMs, from, sendTo: place.url, signal }),
    );
  } catch (error) {
    if (error instanceof FailedSignInError) {
      ctx.log.warn(`nobody could be signed in to the MCP server "${desk.server}": ${error.message}`);
      ctx.progress(`The sign-in did not succeed: ${error.message}\n`);
      return; // the next attempt shows whether the server accepts requests now
    }
    const { code } = toToolError(error);
    if (code === 'withdrawn') return; // somebody else has signed in
    if (code === 'timeout') throw refuse(desk, 'Nobody came back from signing in', error);
    throw error;
  } finally {
    stop();
  }
}

/** @throws ToolError `mcp_unauthorised` */
async function begin(desk: SignInDesk, way: Parameters<SignIn['begin']>[0]): Promise<SignInPlace> {
  try {
    return await desk.signIn.begin(way);
  } catch (cause) {
    throw refuse(desk, `Nobody can sign in: ${cause instanceof Error ? cause.message : cause}`, cause);
  }
}

/**
 * Asks somebody to agree to sign in. The card's address leads to Parley, which reveals the sign-in address only to the person who
 * agreed: others who see the card could otherwise sign in with their own account and have that person return with it.
 * @returns the id of the person who agreed
 * @throws ToolError `mcp_unauthorised` if nobody agreed; `withdrawn` if somebody else has signed in
 */
async function agree(
  desk: SignInDesk,
  {
    key,
    place,
    door,
    signal,
  }: {
    readonly key: string;
    readonly place: SignInPlace;
    readonly door: string;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { ctx, server } = desk;
  const title = `The MCP server “${server}” wants somebody to sign in`;
  const demand = { type: 'url', key, title, prompt: describe(place), url: door, signal } as const;
  const answer = await ctx.requestInteraction(demand);
  if (answer.action !== 'approve') throw refuse(desk, 'Nobody signed in');
  return answer.by.owner ?? answer.by.principal;
}

function describe({ url, scope }: SignInPlace): string {
  const where = `You sign in at ${new URL(url).host} and come back here. The link goes through Parley and works only for the person who agrees.`;
  const what = scope && `Requested access: ${scope.replace(/\s+/g, ' ').slice(0, 500)}`;
  const means =
    'From then on all agents of this Parley use the server with your account, until it is signed out there.';
  return [where, means, what].filter(Boolean).join('\n\n');
}

function refuse({ server }: SignInDesk, words: string, cause?: unknown): ToolError {
  return new ToolError('mcp_unauthorised', `${words} (the MCP server "${server}").`, { cause });
}
