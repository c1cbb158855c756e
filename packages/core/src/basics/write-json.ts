/**
 * Serialises a value. @param whole - name of the value itself in errors. @throws TypeError naming the path of the first member
 * that JSON would lose
 */
export function writeJson(value: unknown, whole: string): string {
  const paths = new Map<unknown, string>();
  return JSON.stringify(value, function (this: unknown, key, member) {
    const parent = paths.get(this);
    const path = parent === undefined ? key : [parent, key].filter((part) => part !== '').join('.');
    if (isLost(member)) throw new TypeError(`${path === '' ? whole : `"${path}"`} is ${describe(member)}`);
    if (typeof member === 'object' && member !== null) paths.set(member, path);
    return member;
  });
}

function isLost(value: unknown): boolean {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return true;
    case 'number':
      return !Number.isFinite(value);
    case 'object':
      return value instanceof Map || value instanceof Set || value instanceof Promise || value instanceof Error;
    default:
      return false;
  }
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' && value !== null ? `a ${value.constructor.name}` : `a ${typeof value}`;
}
