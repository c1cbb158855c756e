/** Of PostgreSQL's catalogue, the same in every release. */
const oids = { integers: 1007, texts: 1009 };

/**
 * How lists are sent. postgres.js would ask each database for its types when it connects: where that connection breaks off, it leaves a
 * rejection that nobody handles, and what waits for the connection waits for ever.
 */
export const arrayTypes = { integers: makeType(oids.integers), texts: makeType(oids.texts) };

function makeType(to: number) {
  return { to, from: [], serialize: write, parse: (text: string) => text };
}

function write(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => (value === null ? 'null' : quote(String(value)))).join()}}`;
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
