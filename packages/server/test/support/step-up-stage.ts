import {
  definePlugin,
  type InteractionRequest,
  type InteractionSpec,
  type Json,
  type ToolContext,
} from '@parleyhq/core';
import type { TokenOptions } from '@parleyhq/server/testing';
import { Authenticator, addPasskey, makePage } from './authenticator.ts';
import { type GuardedServer, startGuardedServer } from './guarded-server.ts';
import type { LocalOptions } from './local-server.ts';
import type { Tab } from './tab.ts';

const empty = { type: 'object' } as const;

type Args = Record<string, unknown>;

/** Tools that ask at different risks and in different ways. */
const vault = definePlugin({
  name: 'vault',
  tools: [
    ...(['low', 'high'] as const).map((risk) => ({
      name: `vault_${risk}`,
      description: `Asks at ${risk} risk.`,
      parameters: empty,
      handler: (_: Args, ctx: ToolContext) =>
        ctx.approve({ key: 'open', title: 'Open it?', subject: { kind: 'text', text: 'door 7' }, risk }),
    })),
    {
      name: 'vault_gate',
      description: 'Is asked about before it runs.',
      parameters: empty,
      approval: 'always',
      edits: true,
      describe: () => ({ title: 'Run it?', risk: 'high' }),
      handler: () => 'ran',
    },
    {
      name: 'vault_quiet',
      description: 'Asks nobody.',
      parameters: empty,
      describe: () => ({ title: 'Run it?', risk: 'high' }),
      handler: () => 'ran',
    },
    {
      name: 'vault_form',
      description: 'Asks for a form.',
      parameters: empty,
      handler: (_: Args, ctx: ToolContext) =>
        ctx.requestInteraction({
          type: 'input',
          risk: 'high',
          inputSchema: {
            type: 'form',
            fields: [
              { id: 'city', type: 'text' },
              { id: 'pin', type: 'secret' },
            ],
          },
        } satisfies InteractionSpec),
    },
    {
      name: 'vault_link',
      description: 'Asks to open an address.',
      parameters: empty,
      handler: (_: Args, ctx: ToolContext) =>
        ctx.requestInteraction({ type: 'url', title: 'Pay', url: 'https://example.com/pay', risk: 'high' }),
    },
    {
      name: 'vault_two',
      description: 'Asks two.',
      parameters: empty,
      handler: (_: Args, ctx: ToolContext) =>
        ctx.approve({ key: 'two', title: 'Open it?', risk: 'high', decide: { approve: 2 } }),
    },
  ],
});

/** Somebody with a tab, a token and perhaps an authenticator. */
export interface Person {
  readonly id: string;
  readonly token: string;
  readonly tab: Tab;
  readonly key: Authenticator;
  readonly call: ReturnType<typeof makePage>;
}

export class StepUpStage {
  readonly server: GuardedServer;
  readonly session: string;
  readonly owner: Person;

  constructor(server: GuardedServer, session: string, owner: Person) {
    this.server = server;
    this.session = session;
    this.owner = owner;
  }

  /** Origin of the page: passkeys need a name. */
  get origin(): string {
    return originOf(this.server);
  }

  /** Enters with a new token and adds a passkey. */
  async enter(part: TokenOptions): Promise<Person> {
    const { id, token } = await this.server.makeToken(part);
    const person = await join(this.server, { id: part.owner ?? id, token });
    await person.tab.follow(this.session);
    return person;
  }

  async ask(tool: string, args: Json = {}): Promise<InteractionRequest> {
    const { seq } = await this.owner.tab.say(this.session, `/call ${tool} ${JSON.stringify(args)}`);
    return this.owner.tab.prompt(this.session, seq);
  }

  /** Returns the members of a frame with which a person answers, signed with a passkey. */
  sign(
    { id, key }: Pick<Person, 'id' | 'key'>,
    prompt: InteractionRequest,
    answer: Parameters<Authenticator['signAnswer']>[2],
    options?: Parameters<Authenticator['signAnswer']>[3],
  ) {
    const ids = { sessionId: this.session, person: id, answerId: crypto.randomUUID() };
    return key.signAnswer(ids, prompt, answer, options);
  }

  /** Waits for the settlement of a prompt. */
  async settled({ interactionId }: InteractionRequest) {
    const isOf = ({ payload }: { payload: { interactionId: string } }) => payload.interactionId === interactionId;
    return (await this.owner.tab.event(this.session, 'interaction_response', isOf)).payload;
  }
}

const originOf = (server: GuardedServer) => `http://localhost:${server.local.port}`;

async function join(server: GuardedServer, { id, token }: { id: string; token: string }): Promise<Person> {
  const tab = await server.local.open({ hello: { token } });
  const origin = originOf(server);
  const key = new Authenticator(origin);
  const added = await addPasskey(token, key);
  if (!added.ok) throw new Error(await added.text());
  return { id, token, tab, key, call: makePage(origin, token) };
}

/** Starts a server that demands passkeys at high risk. */
export async function openStepUpStage(options: LocalOptions = {}): Promise<StepUpStage> {
  const { plugins = [], ...more } = options;
  const server = await startGuardedServer({ stepUp: { risk: 'high' }, ...more, plugins: [vault, ...plugins] });
  const owner = await join(server, { id: 'owner', token: server.token });
  const session = await owner.tab.createSession();
  await owner.tab.follow(session);
  return new StepUpStage(server, session, owner);
}
