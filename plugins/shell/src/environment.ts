/** What commands need to work: where programs and the home folder are, the language, the terminal. */
const passedOn = new Set(['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR', 'USER', 'SHELL']);

/**
 * The environment of a command (SEC8). Everything else that the server was started with stays with the server: its token, keys,
 * the addresses of databases.
 * @param more - names from the plugin's config
 */
export function pickEnvironment(environment: NodeJS.ProcessEnv, more: readonly string[]): NodeJS.ProcessEnv {
  const isPassedOn = (name: string) => passedOn.has(name) || name.startsWith('LC_') || more.includes(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isPassedOn(name)));
}

/** Whether a variable is never passed on, whatever the config says (SEC8). */
export function isWithheld(name: string): boolean {
  return /^PARLEY_|_API_KEY$/i.test(name);
}
