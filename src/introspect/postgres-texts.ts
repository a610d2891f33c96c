import { isYes, textOf, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ComparedTexts } from "./compared-texts.ts";
import type { WantedTable } from "./schema.ts";

/**
 * Lists the columns of foreign keys between the wanted tables whose texts are not compared by code point: those of `citext` and
 * `char(n)`, and those with a nondeterministic collation. The operator of the constraint states the type, and the referenced
 * column the collation.
 */
const COMPARED = `select w1.name as c0, a.attname::text as c1, w2.name as c2, ta.attname::text as c3,
  quote_ident(yn.nspname) || '.' || quote_ident(y.typname) as c4,
  quote_ident(cn.nspname) || '.' || quote_ident(co.collname) as c5,
  (a.atttypid = ta.atttypid and a.attcollation = ta.attcollation)::text as c6
  from json_array_elements_text($1::json) as w1(name)
  join pg_constraint k on k.conrelid = to_regclass(w1.name)::oid and k.contype = 'f'
  join json_array_elements_text($1::json) as w2(name) on k.confrelid = to_regclass(w2.name)::oid
  cross join lateral unnest(k.conkey, k.confkey, k.conpfeqop) as p(own, other, operator)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = p.own
  join pg_attribute ta on ta.attrelid = k.confrelid and ta.attnum = p.other
  join pg_operator o on o.oid = p.operator and o.oprleft = o.oprright and pg_operator_is_visible(o.oid)
  join pg_type y on y.oid = o.oprleft and y.typcategory = 'S' join pg_namespace yn on yn.oid = y.typnamespace
  join pg_collation co on co.oid = ta.attcollation join pg_namespace cn on cn.oid = co.collnamespace
  where y.typname not in ('text', 'name') or not co.collisdeterministic`;

/**
 * Reads how foreign keys of PostgreSQL compare texts.
 * @see https://www.postgresql.org/docs/current/catalog-pg-constraint.html
 */
export function* readPostgresTexts(wanted: readonly WantedTable[]): CatalogueSteps<readonly ComparedTexts[]> {
  const parameters = [JSON.stringify([...new Set(wanted.map(({ text }) => text))])];
  const rows = yield { sql: COMPARED, parameters, width: 7 };
  return rows.map((row) => {
    const [child = "", childColumn = "", parent = "", parentColumn = "", type = "", collation = ""] = row.map(textOf);
    const comparison = { type, collation, isShared: isYes(row[6]) };
    return { child, childColumn, parent, parentColumn, comparison };
  });
}
