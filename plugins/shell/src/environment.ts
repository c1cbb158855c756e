/** The variables that commands need to work: program path, home folder, language and terminal. */
const passedOn = new Set(['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR', 'USER', 'SHELL']);

/**
 * Returns the environment of a command (SEC8). The server's other variables are not passed on, such as its token, keys and
 * database addresses.
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
