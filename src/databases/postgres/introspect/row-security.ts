import type { SchemaFinding } from "../../../base/errors/schema-finding.ts";
import { type CatalogueSteps, textOf } from "../../introspect/catalogue-steps.ts";
import type { ExpectedTable } from "../../introspect/expected-table.ts";

/**
 * The wanted tables with row-level security, and whether the user of the connection bypasses it; the wanted views without
 * `security_invoker` over such tables.
 */
const SECURITY = `with recursive wanted as (
    select w.name, c.oid, c.relkind, c.reloptions from json_array_elements_text($1::json) as w(name)
    join pg_class c on c.oid = to_regclass(w.name)::oid),
  below(name, oid) as (
    select name, oid from wanted where relkind = 'v' and not coalesce('security_invoker=true' = any(reloptions)
      or 'security_invoker=on' = any(reloptions) or 'security_invoker=1' = any(reloptions), false)
    union
    select below.name, d.refobjid from below join pg_rewrite r on r.ev_class = below.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
      and d.refobjid <> below.oid)
  select wanted.name as c0, 'table' as c1, t.oid::regclass::text as c2, current_user::text as c3
  from wanted join pg_class t on t.oid = wanted.oid and t.relrowsecurity
  join pg_roles u on u.rolname = current_user
  where u.rolsuper or u.rolbypassrls or (pg_has_role(t.relowner, 'usage') and not t.relforcerowsecurity)
  union
  select below.name, 'view', t.oid::regclass::text, current_user::text
  from below join pg_class t on t.oid = below.oid and t.relrowsecurity
  order by 1, 2, 3`;

/** Finds row-level security of PostgreSQL that does not protect the rows of a service. */
export function* checkRowSecurity(expected: readonly ExpectedTable[]): CatalogueSteps<readonly SchemaFinding[]> {
  const parameters = [JSON.stringify([...new Set(expected.map(({ text }) => text))])];
  const rows = yield { sql: SECURITY, parameters, width: 4 };
  return rows.flatMap(([text, kind, protectedTable, user]) =>
    expected
      .filter((table) => table.text === textOf(text))
      .map((table): SchemaFinding => {
        const name = table.names.join(".");
        const place = { set: table.set, table: name, code: "C13", severity: "warning" } as const;
        const ofTable = table.declaredBy === "table" ? {} : { property: table.declaredBy };
        if (textOf(kind) === "view") {
          const message = `The view \`${name}\` reads \`${textOf(protectedTable)}\` with the rights of its owner, so row-level security does not apply to the user of the connection.`;
          return { ...place, ...ofTable, message, fix: `alter view ${table.text} set (security_invoker = true)` };
        }
        const message = `The user \`${textOf(user)}\` of the connection bypasses the row-level security of \`${name}\`.`;
        const fix = `Connect as a user without these rights, or, if it owns the table: alter table ${table.text} force row level security.`;
        return { ...place, ...ofTable, message, fix };
      }),
  );
}
