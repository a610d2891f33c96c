import { sql } from "kysely";
import type { DescribedWarning } from "odatakit/introspect";
import type { OpenedDatabase } from "../open-database.ts";

const USER = sql<{
  readonly name: string;
  readonly is_super: boolean;
  readonly bypasses: boolean;
  readonly owns: boolean;
}>`
  select u.rolname::text as name, u.rolsuper as is_super, u.rolbypassrls as bypasses, exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p')
      and c.relowner = u.oid and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema') as owns
  from pg_roles u where u.rolname = current_user`;

/** Returns a warning about a user of PostgreSQL whom row-level security does not bind. */
export async function userWarnings({
  db,
  kind,
}: Pick<OpenedDatabase, "db" | "kind">): Promise<readonly DescribedWarning[]> {
  if (kind !== "postgres") return [];
  const [user] = (await USER.execute(db)).rows;
  if (user === undefined) return [];
  const rights: ReadonlyArray<readonly [boolean, string]> = [
    [user.is_super, "is a superuser"],
    [user.bypasses, "has BYPASSRLS"],
    [user.owns, "owns tables"],
  ];
  const is = rights.find(([has]) => has)?.[1] ?? "";
  if (is === "") return [];
  const message = `${is}, so row-level security does not protect rows: connect as a user with the right select only`;
  return [{ code: "user", place: `The user ${user.name}`, message, flag: null }];
}
