/** Array methods that iterate over their list each time they are called. */
const walking = ['includes', 'indexOf', 'lastIndexOf', 'find', 'findIndex', 'findLast', 'some', 'concat'] as const;

type Walk = (this: unknown[], ...args: unknown[]) => unknown;

/**
 * Counts how many members of lists are visited while something runs in this process, by lookups and spreads; each lookup counts
 * as the whole list. Twice the input must not need four times the steps (SEC6), however fast the machine is.
 */
export async function countSteps(run: () => Promise<unknown>): Promise<number> {
  let steps = 0;
  const list = Array.prototype as unknown as Record<string | symbol, Walk>;
  const natives = [...walking, Symbol.iterator].map((name) => [name, list[name] as Walk] as const);
  const replace = (name: string | symbol, value: Walk) =>
    Object.defineProperty(list, name, { value, writable: true, configurable: true, enumerable: false });
  for (const [name, native] of natives)
    replace(name, function count(...args) {
      steps += this.length;
      return Reflect.apply(native, this, args);
    });
  try {
    await run();
  } finally {
    for (const [name, native] of natives) replace(name, native);
  }
  return steps;
}
