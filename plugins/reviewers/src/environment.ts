/** The variables that programs need to work. */
const passedOn = new Set(['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER']);

/**
 * Returns the environment of a reviewing command (SEC8): none of the server's own variables, such as its token and keys.
 * @param more - names from the configuration
 */
export function pickEnvironment(environment: NodeJS.ProcessEnv, more: readonly string[]): NodeJS.ProcessEnv {
  const isPassedOn = (name: string) => passedOn.has(name) || name.startsWith('LC_') || more.includes(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isPassedOn(name)));
}

/** Whether a variable is never passed on, whatever the configuration says. */
export function isWithheld(name: string): boolean {
  return /^PARLEY_|_API_KEY$/i.test(name);
}
