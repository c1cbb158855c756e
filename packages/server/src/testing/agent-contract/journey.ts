import type { ChatEvent, EventType, InteractionRequest, Payload } from '@parleyhq/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentCues } from '../agent-contract.ts';

export interface JourneyCues extends AgentCues {
  /** Makes it ask the person with `ask_user` and report the answer in words. */
  readonly wait: string;
  /** Makes it call a tool that does not exist. */
  readonly fail: string;
}

/** A server process with this agent and the tools `echo` and `ask_user`, and a person in one session. */
export interface AgentStage {
  say(words: string): Promise<unknown>;
  /** Waits for the first event of a type after `seq` that matches. */
  event<Type extends EventType>(
    type: Type,
    accepts?: (event: ChatEvent<Type>) => boolean,
    after?: number,
  ): Promise<ChatEvent<Type>>;
  /** Resolves when text of a message has been streamed since the newest start or error. */
  streamed(): Promise<void>;
  answer(prompt: InteractionRequest, input: object): Promise<unknown>;
  stop(): Promise<unknown>;
  /** `kill -9`, then a new process with the same data, in the same session. */
  crash(): Promise<void>;
  remove(): Promise<void>;
}

/** Tests the contract of every agent in a real server, including kills of its process. */
export function testAgentJourney(name: string, open: () => Promise<AgentStage>, cues: JourneyCues): void {
  describe(`agent journey: ${name}`, () => {
    let stage: AgentStage;
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.remove());

    const end = async (after = 0): Promise<Payload<'turn_end'>> =>
      (await stage.event('turn_end', undefined, after)).payload;

    test('[AGT2, EVT4, INT11] if it is stopped in the middle of a stream, its text is kept and marked', async () => {
      await stage.say(cues.ramble);
      await stage.streamed();
      await stage.stop();
      expect(await end()).toMatchObject({ status: 'cancelled' });
      const { payload } = await stage.event('assistant_done');
      expect(payload).toMatchObject({ interrupted: true, text: expect.stringMatching(/\S/) });
    });

    test('[AGT2] it calls a tool, reads the result and speaks', async () => {
      await stage.say(cues.call);
      const { payload, seq } = await stage.event('tool_result');
      expect(payload).toMatchObject({ toolName: 'echo', result: expect.anything() });
      await stage.event('assistant_done', undefined, seq);
      expect(await end()).toMatchObject({ status: 'completed' });
    });

    test("[AGT2, AGT6] it reads a tool's error like any result and speaks", async () => {
      await stage.say(cues.fail);
      const { payload, seq } = await stage.event('tool_result');
      expect(payload.error).toMatchObject({ code: 'unknown_tool' });
      await stage.event('assistant_done', undefined, seq);
      expect(await end()).toMatchObject({ status: 'completed' });
    });

    test('[DUR1, DUR7] an answer reaches it even if the server was killed while it waited', async () => {
      await stage.say(cues.wait);
      const { payload: prompt } = await stage.event('interaction_request');
      await stage.crash();
      await stage.answer(prompt, { answer: 'sesame' });
      const { payload } = await stage.event('assistant_done', (event) => event.payload.text.includes('sesame'));
      expect(payload.interrupted).toBeUndefined();
      expect(await end()).toMatchObject({ status: 'completed' });
    });

    test('[DUR7] if it is killed while writing, it starts the message over, and the log records that', async () => {
      await stage.say(cues.ramble);
      await stage.streamed();
      await stage.crash();
      const { payload } = await stage.event('error');
      expect(payload.code).toBe('stream_restarted');
      await stage.streamed();
      await stage.stop();
      expect(await end()).toMatchObject({ status: 'cancelled' });
    });

    test('[INT19, AGT2] messages sent while it writes wait for its turn to end', async () => {
      await stage.say(cues.call);
      await stage.say(cues.talk);
      const { seq } = await stage.event('turn_end');
      expect(await end(seq)).toMatchObject({ status: 'completed' });
      await stage.event('assistant_done', undefined, seq);
    });
  });
}
