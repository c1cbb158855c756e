type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that programs need to work. */
const passedOn = new Set(['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER']);

/**
 * Returns the environment of a command (SEC8). The server's other variables are not passed on, such as its token, keys and
 * database addresses.
 * @param more - names of further variables
 */
export function pickEnvironment(environment: Environment, more: readonly string[]): Record<string, string | undefined> {
  const isPassedOn = (name: string) => passedOn.has(name) || name.startsWith('LC_') || more.includes(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isPassedOn(name)));
}

/** Whether a variable is never passed on, whatever the configuration says (SEC8). */
export function isWithheld(name: string): boolean {
  return /^PARLEY_|_API_KEY$/i.test(name);
}
