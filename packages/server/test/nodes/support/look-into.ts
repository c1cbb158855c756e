import postgres from 'postgres';
import { onTestFinished } from 'vitest';

/** Opens the nodes' database directly, until the test ends. */
export function lookInto(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

/** Returns every value of every table, as text. */
export async function dump(sql: postgres.Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'`;
  return JSON.stringify(await Promise.all(tables.map(({ name }) => sql`select t::text as row from ${sql(name)} t`)));
}
