/** The members of the protocol's answers that are shown; the SDK has checked their types. */
interface Named {
  readonly name: string;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}
type Resource = Named & { readonly uri: string; readonly size?: number | undefined };
type Template = Named & { readonly uriTemplate: string };
type Prompt = Named & { readonly arguments?: readonly unknown[] | undefined };
type Contents = { readonly uri: string; readonly mimeType?: string | undefined } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** The answer in the format of a tool result. */
export interface OwnResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

/** The maximum number of entries shown of one list, so that models are not flooded. */
const maxListed = 200;
/** Maximum lengths of one resource and of one description, in characters. */
const maxText = 200_000;
const maxDescription = 500;

export function showResources(
  resources: readonly Resource[],
  templates: readonly Template[],
  nextCursor: string | undefined,
): OwnResult {
  const structuredContent = {
    resources: resources.slice(0, maxListed).map(({ uri, name, description, mimeType, size }) => ({
      ...{ uri, name, mimeType, size },
      description: shorten(description),
    })),
    templates: templates.slice(0, maxListed).map(({ uriTemplate, name, description, mimeType }) => ({
      ...{ uriTemplate, name, mimeType },
      description: shorten(description),
    })),
    nextCursor,
    leftOut: Math.max(0, resources.length - maxListed) || undefined,
  };
  return { content: [], structuredContent };
}

export function showContents({ contents }: { readonly contents: readonly Contents[] }): OwnResult {
  return { content: contents.map(showContent) };
}

/** Formats one part of a resource. A long text is cut, because a model could not read it. */
function showContent(resource: Contents): object {
  const { uri, mimeType } = resource;
  if ('text' in resource) {
    const { text } = resource;
    const shown = text.length > maxText ? `${text.slice(0, maxText)} … (${text.length} characters)` : text;
    return { type: 'resource', resource: { uri, ...(mimeType !== undefined && { mimeType }), text: shown } };
  }
  return { type: 'resource', resource };
}

export function showPrompts(prompts: readonly Prompt[], nextCursor: string | undefined): OwnResult {
  const structuredContent = {
    prompts: prompts.slice(0, maxListed).map(({ name, description, arguments: takes }) => ({
      ...{ name, takes },
      description: shorten(description),
    })),
    nextCursor,
    leftOut: Math.max(0, prompts.length - maxListed) || undefined,
  };
  return { content: [], structuredContent };
}

/** Formats a prompt. Roles are shown as text, because the server wrote the messages and nobody in the session did. */
export function showPrompt({
  messages,
}: {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}): OwnResult {
  const content = messages.flatMap(({ role, content }) => [{ type: 'text', text: `${role}:` }, content]);
  return { content };
}

function shorten(text: string | undefined): string | undefined {
  return text !== undefined && text.length > maxDescription ? `${text.slice(0, maxDescription)} …` : text;
}
