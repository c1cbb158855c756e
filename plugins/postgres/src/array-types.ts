/** Type ids in PostgreSQL's catalogue, the same in every release. */
const oids = { integers: 1007, texts: 1009 };

/**
 * The types of array parameters. Otherwise postgres.js asks the database for its types on each connection; if that connection
 * breaks, a rejection remains unhandled, and statements that wait for the connection wait for ever.
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
