import type { CallDescription, Json, JsonSchema, Tool } from '@parleyhq/core';
import { type Definition, describeClaims, revisionOf } from './definition.ts';
import { fitSchema } from './fit-schema.ts';
import type { McpServer } from './mcp-server.ts';
import { type CurrentTool, offerTool } from './server-rules.ts';
import { nameTool } from './tool-name.ts';

/** Makes a Parley tool from a server's tool. People are asked about it unless the server claims that it only reads (APR3). */
export function makeTool(server: McpServer, definition: Definition): Tool<JsonSchema> {
  const { name, title, description, annotations, page } = definition;
  const { parameters, note } = fitSchema(definition);
  const ownName = nameTool(server.name, name);
  const change = server.changeOf(definition);
  const readOnly = annotations?.readOnlyHint === true;
  const claims = describeClaims(definition);
  const current = currentOf(server, definition);
  const { called, revision } = current;
  const checked =
    claims === undefined
      ? 'The server makes no claims about it.'
      : `The server claims: ${claims}. Nobody has checked that.`;
  const described = description && `The server describes it: ${description}`;
  // the server's own text comes last
  const prompt = [change?.headline, checked, change?.details, described].filter(Boolean).join('\n\n');
  const asked: CallDescription = {
    title: `Call ${called}`,
    prompt: prompt.slice(0, maxPrompt),
    risk: annotations?.destructiveHint === true ? 'high' : 'medium', // a server's claims can only raise the risk
  };
  return {
    name: ownName,
    description: [description ?? title ?? name, note, `(A tool of the MCP server "${server.name}".)`]
      .filter((words) => words !== undefined)
      .join('\n'),
    parameters,
    source: { kind: 'mcp', name: server.name },
    revision,
    isChanged: change !== undefined,
    readOnly,
    approval: readOnly ? 'never' : 'always',
    describe: (args) => (page === undefined ? asked : showPage(server, page, args as Json, asked)),
    rules: () => [offerTool(ownName, current)],
    handler: (args, ctx) => server.call(definition, args, ctx),
  };
}

/** Names a server's tool for people, with the server's own title. */
function describeTool(server: McpServer, { name, title }: Definition): string {
  return `“${oneLine(title ?? name)}” of the MCP server “${server.name}”`;
}

/** Returns the tool as rules refer to it, by its name in Parley. */
export function findCurrent(server: McpServer, definition: Definition): readonly [string, CurrentTool] {
  return [nameTool(server.name, definition.name), currentOf(server, definition)];
}

function currentOf(server: McpServer, definition: Definition): CurrentTool {
  const members = new Set(Object.keys(definition.inputSchema.properties ?? {}));
  return { revision: revisionOf(definition), called: describeTool(server, definition), members };
}

/** Adds the server's page to what is asked; it shows the arguments in addition to Parley's own text (AGT4). */
async function showPage(server: McpServer, page: string, args: Json, asked: CallDescription): Promise<CallDescription> {
  const view = await server.pages.show(page, args);
  return { ...asked, ...(view && { view }) };
}

/** Makes the tool that replaces the tools of a server that does not list them before a sign-in (AGT4). */
export function makeSignInTool(server: McpServer): Tool<JsonSchema> {
  return {
    name: nameTool(server.name, 'sign_in'),
    description: `Asks a person to sign in to the MCP server "${server.name}". Its tools become available after that.`,
    parameters: { type: 'object' },
    source: { kind: 'mcp', name: server.name },
    readOnly: true,
    async handler(_, ctx) {
      const count = await server.signIn(ctx);
      return `Signed in: the MCP server "${server.name}" has ${count} ${count === 1 ? 'tool' : 'tools'} now.`;
    },
  };
}

/** Puts a server's name for its tool on one line without quotation marks, so that it cannot imitate Parley's own text. */
function oneLine(name: string): string {
  return name
    .replace(/[\s“”"]+/g, ' ')
    .trim()
    .slice(0, 100);
}

/** Maximum length of the prompt in characters, because the server's description is shown with the question. */
const maxPrompt = 8000;
