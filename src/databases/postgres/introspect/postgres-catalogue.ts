import {
  isYes,
  textOf,
  textOrNull,
  type CatalogueQuery,
  type CatalogueRow,
  type CatalogueSteps,
} from "../../introspect/catalogue-steps.ts";
import {
  collectTables,
  type FindTable,
  type ListedColumn,
  type ListedIndexColumn,
} from "../../introspect/collect-tables.ts";
import type { CheckedSchema, WantedTable, ComparedTexts } from "../../introspect/schema.ts";
import { POSTGRES_TRIGGERS, withTriggers } from "../../introspect/triggered-tables.ts";
import { ELSEWHERE, IS_CITUS, readPlacements } from "../../placement/catalogue/citus-tables.ts";

/** Finds the wanted tables as statements do: by `search_path`, temporary tables first. */
const WANTED = `json_array_elements_text($1::json) as w(name) join pg_class c on c.oid = to_regclass(w.name)::oid`;

/** The base types of domains, the length or precision of their values, and whether one of them rejects null. */
const DOMAINS = `with recursive below(type, oid, is_not_null, modifier) as (
    select t.oid, t.oid, false, -1 from pg_type t where t.typtype = 'd' union all
    select below.type, t.typbasetype, below.is_not_null or t.typnotnull,
      case when t.typtypmod = -1 then below.modifier else t.typtypmod end
    from below join pg_type t on t.oid = below.oid and t.typtype = 'd'),
  domains as (select below.* from below join pg_type t on t.oid = below.oid and t.typtype <> 'd')`;
/**
 * PostgreSQL 18 also marks columns whose constraint does not hold for old rows. This and the other subqueries below are
 * read once and not per column: a plan of a higher cost would be compiled, which takes a second.
 */
export const IS_NEVER_NULL: string = `(a.attnotnull and (c.oid, a.attnum) not in (
    select u.conrelid, u.conkey[1] from pg_constraint u where u.conrelid <> 0 and u.contype = 'n' and not u.convalidated))`;
const LABELS = `(select e.enumtypid, json_agg(e.enumlabel order by e.enumsortorder)::text as labels from pg_enum e group by e.enumtypid)`;
const COLLATION = `case when co.collname = 'default'
    then (select datcollate::text from pg_database where datname = current_database()) else co.collname::text end`;
/** The condition of objects that PostgreSQL itself does not own. */
export const IS_OF_USER: string = `c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`;

/**
 * Returns the statement that lists columns. It replaces domains by their base types, also those of array items. A column without a
 * default has that of its domain.
 * @param source the objects, as `c`
 * @param name the expression that names an object
 * @param more further expressions
 */
export const postgresColumns = (source: string, name: string, more = ""): string =>
  `${DOMAINS} select ${name} as c0, c.oid::text as c1, c.relkind::text as c2, a.attname::text as c3,
  format_type(a.atttypid, a.atttypmod) as c4,
  case when bt.typtype = 'e' then 'enum' when bt.typcategory <> 'A' then bt.typname::text
    when el.typtype = 'e' then 'enum[]' else el.typname || '[]' end as c5,
  (${IS_NEVER_NULL} or coalesce(d1.is_not_null, false) or (c.oid, 'CHECK ((' || quote_ident(a.attname) || ' IS NOT NULL))') in (
    select k.conrelid, pg_get_constraintdef(k.oid) from pg_constraint k
    where k.conrelid <> 0 and k.contype = 'c' and k.convalidated and cardinality(k.conkey) = 1))::text as c6, (a.attgenerated <> '')::text as c7,
  case when a.attgenerated = '' then coalesce(pg_get_expr(d.adbin, d.adrelid), at.typdefault) end as c8,
  ${COLLATION} as c9,
  e1.labels as c10,
  (a.attnum < 0)::text as c11, (current_setting('TimeZone') in ('UTC', 'Etc/UTC', 'GMT', 'Etc/GMT'))::text as c12${more}
  from ${source} join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
  join pg_type at on at.oid = a.atttypid left join domains d1 on d1.type = a.atttypid join pg_type bt on bt.oid = coalesce(d1.oid, a.atttypid)
  left join domains d2 on d2.type = bt.typelem left join pg_type el on el.oid = coalesce(d2.oid, bt.typelem)
  left join ${LABELS} e1 on e1.enumtypid = bt.oid left join ${LABELS} e2 on e2.enumtypid = el.oid and bt.typcategory = 'A'
  left join pg_namespace tn on tn.oid = (case when bt.typcategory = 'A' then el.typnamespace else bt.typnamespace end)
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  left join pg_collation co on co.oid = a.attcollation
  order by a.attnum`;

/** Returns the statement that lists columns of indexes. In `indoption`, 1 means descending and 2 nulls first. */
export const postgresIndexes = (source: string, name: string, more = ""): string =>
  `select ${name} as c0, c.oid::text as c1, i.indexrelid::text as c2, i.indisunique::text as c3,
  (i.indpred is not null or am.amname <> 'btree')::text as c4, a.attname::text as c5,
  ((i.indoption[k.ord - 1] & 1) * 2 <> (i.indoption[k.ord - 1] & 2))::text as c6, ${COLLATION} as c7${more}
  from ${source} join pg_index i on i.indrelid = c.oid and i.indisvalid
  join pg_class ic on ic.oid = i.indexrelid join pg_am am on am.oid = ic.relam
  cross join lateral unnest(i.indkey) with ordinality as k(attnum, ord)
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum and k.attnum > 0
  left join pg_collation co on co.oid = i.indcollation[k.ord - 1]
  where k.ord <= i.indnkeyatts order by i.indexrelid, k.ord`;
const COLUMNS = postgresColumns(WANTED, "w.name", `, ${IS_CITUS} as c13`);
const INDEXES = postgresIndexes(
  WANTED,
  "w.name",
  ", case when k.attnum = 0 and k.ord = 1 then pg_get_indexdef(i.indexrelid, 1, true) end as c8",
);
/** The text of a column in an index, as `gathered` of the form of texts writes it, and the catalogue. */
const FIRST_TEXT = /^\(\(*("(?:[^"]|"")+"|[\w$]+)\)?(?:::text)? \|\| ''::text\)+$/;
const NAMES = `select case when pg_table_is_visible(c.oid) then c.relname::text else n.nspname || '.' || c.relname end as c0
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${IS_OF_USER}`;

/** The internal errors of a statement that describes an object while another session drops it. */
const IS_DROPPED = /^(?:could not open relation with OID|cache lookup failed for) /;
/** The most times that a statement is run. */
const MOST_RUNS = 5;

/**
 * Reads the catalogue by one statement, and again if another session has dropped an object meanwhile: the functions that describe
 * objects see the newest state, rows that of the beginning.
 * @see https://www.postgresql.org/docs/current/functions-info.html
 */
export function* readCatalogue(query: CatalogueQuery): CatalogueSteps<readonly CatalogueRow[]> {
  for (let runs = 1; ; runs += 1) {
    try {
      return yield query;
    } catch (error) {
      if (runs === MOST_RUNS || !(error instanceof Error && IS_DROPPED.test(error.message))) throw error;
    }
  }
}

/** Reads the catalogue of PostgreSQL. @see https://www.postgresql.org/docs/current/catalogs.html */
export function* readPostgresCatalogue(wanted: readonly WantedTable[]): CatalogueSteps<CheckedSchema> {
  const parameters = [JSON.stringify(wanted.map(({ text }) => text))];
  const columns = yield* readCatalogue({ sql: COLUMNS, parameters, width: 14 });
  const indexes = yield* readCatalogue({ sql: INDEXES, parameters, width: 9 });
  const listed = columns.map(toPostgresColumn);
  const collected = collectTables(wanted, listed, indexes.map(toCheckedIndexColumn), find);
  const found = columns.some((row) => isYes(row[13])) ? yield* withPlacements(collected, listed) : collected;
  const tables = yield* withTriggers(wanted, found, POSTGRES_TRIGGERS);
  const isComplete = wanted.every(({ text }) => tables.has(text));
  const names = isComplete ? [] : yield { sql: NAMES, parameters: [], width: 1 };
  const isUtcSession = columns.every((row) => isYes(row[12]));
  return { tables, ignoresCase: false, isUtcSession, tableNames: names.map(([name]) => textOf(name)) };
}

function* withPlacements(
  tables: CheckedSchema["tables"],
  columns: readonly ListedColumn[],
): CatalogueSteps<CheckedSchema["tables"]> {
  const stored = yield* readPlacements();
  const oids = new Map(columns.map(({ table, schema: oid }) => [table, oid]));
  return new Map(
    Array.from(tables, ([text, table]) => {
      const placement = stored.get(oids.get(text) ?? "") ?? ELSEWHERE;
      return [text, { ...table, placement }];
    }),
  );
}

/** The statement returns the wanted text as the name of a table. */
const find: FindTable = ({ text }, tables) => tables.get(text.toLowerCase())?.find(({ table }) => table === text);

/** Returns a row of `postgresColumns`. */
export function toPostgresColumn(row: CatalogueRow): ListedColumn {
  const [wanted, id, kind, name, definition, type, isNotNull, isGenerated, defaultValue, collation, labels, isHidden] =
    row;
  return {
    schema: textOf(id),
    table: textOf(wanted),
    kind: ["r", "p"].includes(textOf(kind)) ? "table" : "view",
    column: {
      name: textOf(name),
      isHidden: isYes(isHidden),
      type: textOf(type),
      definition: textOf(definition),
      nullable: !isYes(isNotNull),
      isGenerated: isYes(isGenerated),
      defaultValue: textOrNull(defaultValue),
      defaultCell: null,
      collation: textOrNull(collation),
      labels: toLabels(labels),
    },
  };
}

/** Returns the labels of an enumeration type in a cell of JSON. */
export function toLabels(cell: unknown): readonly string[] | null {
  const text = textOrNull(cell);
  const labels: unknown = text === null ? null : JSON.parse(text);
  return Array.isArray(labels) ? labels.map(textOf) : null;
}

/** Returns a row of `INDEXES`. */
function toCheckedIndexColumn(row: CatalogueRow): ListedIndexColumn {
  const listed = toPostgresIndexColumn(row);
  const [, quoted] = FIRST_TEXT.exec(textOrNull(row[8]) ?? "") ?? [];
  if (quoted === undefined) return listed;
  const name = quoted.startsWith('"') ? quoted.slice(1, -1).replaceAll('""', '"') : quoted;
  return { ...listed, firstText: { name, collation: textOrNull(row[7]), nullsFirst: isYes(row[6]) } };
}

/** Returns a row of `postgresIndexes`. */
export function toPostgresIndexColumn([
  wanted,
  id,
  index,
  isUnique,
  isPartial,
  name,
  nullsFirst,
  collation,
]: CatalogueRow): ListedIndexColumn {
  const column = textOrNull(name);
  return {
    schema: textOf(id),
    table: textOf(wanted),
    index: textOf(index),
    isUnique: isYes(isUnique),
    isPartial: isYes(isPartial),
    column: column === null ? null : { name: column, collation: textOrNull(collation), nullsFirst: isYes(nullsFirst) },
  };
}

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
