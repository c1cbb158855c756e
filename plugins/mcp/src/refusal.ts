/** Explains to the author of the server why Parley does not answer its request. */
export function refusalOf(method: string | undefined): string {
  if (method === undefined) return 'It names no method.';
  if (method === 'sampling/createMessage')
    return 'Parley runs no model on behalf of a server: it declares no "sampling".';
  if (method === 'roots/list') return 'Parley shows a server no folders: it declares no "roots".';
  return `Parley does not answer "${method}".`;
}
