import { isYes, textOf, type CatalogueQuery, type CatalogueSteps } from "./catalogue-steps.ts";
import type { TableSchema, WantedTable } from "./schema.ts";

/** The parts of a database's catalogue in which triggers are found. */
interface TriggerCatalogue {
  /**
   * Lists the names of tables with triggers that run after a statement, whether these may change rows of the same table, and
   * whether the database has triggers that run at the end of a transaction; without the third cell, it has none.
   */
  readonly list: (wanted: readonly WantedTable[]) => CatalogueQuery;
  /** Returns the name of a table as the list has it. */
  readonly nameOf: (table: WantedTable) => string;
}

/** Adds to tables the triggers that run after a statement. */
export function* withTriggers(
  wanted: readonly WantedTable[],
  tables: ReadonlyMap<string, TableSchema>,
  { list, nameOf }: TriggerCatalogue,
): CatalogueSteps<ReadonlyMap<string, TableSchema>> {
  const found = wanted.filter(({ text }) => tables.has(text));
  const rows = found.length === 0 ? [] : yield list(found);
  const reach = new Map(
    rows.map(([name, isOwn, isDeferred = null]) => {
      const own = isYes(isDeferred) ? ("deferred" as const) : ("own" as const);
      return [textOf(name), isYes(isOwn) ? own : ("other" as const)];
    }),
  );
  const triggers = new Map(found.map((table) => [table.text, reach.get(nameOf(table))]));
  return new Map(
    Array.from(tables, ([text, table]) => {
      const changed = triggers.get(text);
      return [text, changed === undefined ? table : { ...table, triggers: changed }];
    }),
  );
}

/** A table of a schema that is not qualified counts with those of its name in every schema. */
const lastName = ({ names }: WantedTable): string => (names.at(-1) ?? "").toLowerCase();

/**
 * The triggers of SQLite. A trigger that runs after a statement, or instead of it, contains the word "after" or "instead". If a
 * trigger changes its table, itself or by another trigger, the body of one of them names the table. A trigger that skips a row
 * contains "ignore": its earlier writes must be undone. A search for temporary triggers would open a second database.
 * @see https://sqlite.org/lang_createtrigger.html
 */
export const SQLITE_TRIGGERS: TriggerCatalogue = {
  list: (wanted) => {
    const schemas = new Set(["main", ...wanted.flatMap(({ names }) => names.slice(-2, -1))]);
    const selects = Array.from(
      schemas,
      (schema) => `select tbl_name, sql, substr(sql, instr(lower(sql), 'begin')) as body
    from "${schema.replaceAll('"', '""')}".sqlite_master where type = 'trigger'`,
    );
    return {
      sql: `with t as (${selects.join(" union all ")}) select lower(tbl_name) as c0,
  max(sql like '%instead%' or body like '%ignore%' or exists (select 1 from t as o where o.body like '%' || t.tbl_name || '%')) as c1
  from t where sql like '%after%' or sql like '%instead%' or body like '%ignore%' group by 1`,
      parameters: [],
      width: 2,
    };
  },
  nameOf: lastName,
};

/**
 * The triggers of PostgreSQL, also of partitions and of the tables of views, and the rules that replace a write. Triggers before
 * a statement change the row that the statement returns, or skip it.
 * @see https://www.postgresql.org/docs/current/catalog-pg-trigger.html
 */
export const POSTGRES_TRIGGERS: TriggerCatalogue = {
  list: (wanted) => ({
    sql: `with recursive below(name, oid) as (
    select w.name, c.oid from json_array_elements_text($1::json) as w(name) join pg_class c on c.oid = to_regclass(w.name)::oid
    union select b.name, r.oid from below b join (select inhparent as owner, inhrelid as oid from pg_inherits
      union all select v.ev_class, d.refobjid from pg_rewrite v join pg_depend d on d.objid = v.oid
        and d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass) r on r.owner = b.oid)
  select c0, 1 as c1, (exists (select from pg_trigger where tginitdeferred and not tgisinternal and tgenabled <> 'D'))::int as c2
  from (select b.name as c0 from below b join pg_trigger t on t.tgrelid = b.oid
  where not t.tgisinternal and t.tgenabled <> 'D' and case when (t.tgtype & 66) = 0 then (t.tgtype & 20) <> 0
    else (t.tgtype & 64) <> 0 or (t.tgtype & 1) <> 0 and exists (select from pg_proc p
      where p.oid = t.tgfoid and p.prosrc ~* 'return[[:space:]]+null') end
  union select b.name from below b join pg_rewrite r on r.ev_class = b.oid
  where r.ev_type in ('2', '3', '4') and r.is_instead) t`,
    parameters: [JSON.stringify(wanted.map(({ text }) => text))],
    width: 3,
  }),
  nameOf: ({ text }) => text,
};

/** The triggers of MariaDB. @see https://mariadb.com/kb/en/information-schema-triggers-table/ */
export const MYSQL_TRIGGERS: TriggerCatalogue = {
  list: () => ({
    sql: `select distinct lower(event_object_table) as c0, 1 as c1 from information_schema.triggers where action_timing = 'AFTER'`,
    parameters: [],
    width: 2,
  }),
  nameOf: lastName,
};
