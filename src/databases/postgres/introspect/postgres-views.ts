import type { CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import type { ForeignKey, ObjectColumn, ObjectName, SchemaObject } from "../../introspect/database-schema.ts";

/** An object with facts that only proofs of keys need. */
export interface PostgresObject {
  readonly object: SchemaObject;
  /** The columns that a constraint forbids to be null. */
  readonly neverNull: ReadonlySet<string>;
}

const ALIAS = "odatakit_planned_view";

/**
 * Leaves the planner one way for each statement, whatever the tables contain: it joins the tables in their order, by sorting both
 * sides, and everything costs the same.
 * @see https://www.postgresql.org/docs/current/runtime-config-query.html
 */
const ONE_PLAN = `select set_config(name, case when name like '%limit' then '1' when name like 'enable%' then 'off' else '0' end, true)
  from pg_settings where name in ('join_collapse_limit', 'from_collapse_limit', 'max_parallel_workers_per_gather')
    or name ~ '^(cpu_.*|parallel_.*|seq_page|random_page)_cost$'
    or name like 'enable%' and name not in ('enable_seqscan', 'enable_sort', 'enable_mergejoin', 'enable_partition_pruning')`;

/**
 * Adds to views the keys, the table columns and the foreign keys that their plans prove. A view that PostgreSQL cannot plan cannot be read
 * either, so it is omitted.
 */
export function* proveViews(
  views: readonly SchemaObject[],
  tables: readonly PostgresObject[],
): CatalogueSteps<readonly SchemaObject[]> {
  if (views.length === 0) return [];
  const facts = factsOf(tables);
  const selected = views.map(({ columns }) =>
    columns.filter(({ isSelectable }) => isSelectable).map(({ name }) => name),
  );
  const undone = views.map(({ schema, name }, at) => {
    const columns = (selected[at] ?? []).map(quote).join(", ");
    return `explain (verbose, format json) select ${columns} from ${quote(schema)}.${quote(name)} as ${ALIAS}`;
  });
  const plans = yield { sql: ONE_PLAN, parameters: [], width: undefined, undone };
  return views.map((view, at) => {
    const [plan, message] = plans[at] ?? [];
    if (typeof message === "string") {
      return { ...view, omission: { code: "unreadable", reason: `not readable: ${message}` } };
    }
    const planned = { ...facts, alias: ALIAS, columnNames: view.columns.map(({ name }) => name) };
    return toProven(view, selected[at] ?? [], provePlan(plan, planned), facts);
  });
}

interface Facts {
  readonly keysOf: KeysOf;
  readonly isNeverNull: IsNeverNull;
  readonly columnOf: (table: ObjectName, column: string) => ObjectColumn | undefined;
  readonly foreignKeysOf: (table: ObjectName) => readonly ForeignKey[];
}

function factsOf(tables: readonly PostgresObject[]): Facts {
  const byName = new Map(tables.map((each) => [nameOf(each.object), each]));
  const find = (table: ObjectName): PostgresObject | undefined => byName.get(nameOf(table));
  return {
    keysOf: (table) => keysOf(find(table)),
    isNeverNull: (table, column) => find(table)?.neverNull.has(column) === true,
    columnOf: (table, column) => find(table)?.object.columns.find(({ name }) => name === column),
    foreignKeysOf: (table) => find(table)?.object.foreignKeys ?? [],
  };
}

/** The primary key first, then unique indexes, the shortest first. */
function keysOf(table: PostgresObject | undefined): ReadonlyArray<readonly string[]> {
  if (table === undefined) return [];
  const { object, neverNull } = table;
  const unique = object.indexes.flatMap(({ isUnique, columns }) => {
    const names = columns.flatMap((column) => (column !== null && neverNull.has(column.name) ? [column.name] : []));
    return isUnique && names.length === columns.length ? [names] : [];
  });
  return [object.primaryKey, ...unique.toSorted((left, right) => left.length - right.length)];
}

function toProven(
  view: SchemaObject,
  selected: readonly string[],
  { outputs, key }: PlanProof,
  { columnOf, foreignKeysOf }: Facts,
): SchemaObject {
  const columns = view.columns.map((column) => {
    const source = outputs[selected.indexOf(column.name)];
    if (source === undefined) return column;
    const comment = column.comment ?? columnOf(source.table, source.column)?.comment ?? null;
    return { ...column, comment, source: source.isOptional ? null : { ...source.table, column: source.column } };
  });
  const names = key?.flatMap((place) => selected[place] ?? []) ?? [];
  const provenKey = names.length === key?.length ? names : [];
  return { ...view, columns, provenKey, foreignKeys: foreignKeysFrom(outputs, selected, foreignKeysOf) };
}

/**
 * Returns the foreign keys of the tables that a view reads, where it returns all their columns unchanged from one scan. An outer
 * join replaces all of them by null, which refers to nothing.
 */
function foreignKeysFrom(
  outputs: PlanProof["outputs"],
  selected: readonly string[],
  foreignKeysOf: Facts["foreignKeysOf"],
): readonly ForeignKey[] {
  const scans = new Map<string, { readonly table: ObjectName; readonly names: Map<string, string> }>();
  for (const [place, output] of outputs.entries()) {
    const name = selected[place];
    if (output === undefined || name === undefined) continue;
    const scan = scans.get(output.scan) ?? { table: output.table, names: new Map<string, string>() };
    scans.set(output.scan, scan);
    if (!scan.names.has(output.column)) scan.names.set(output.column, name);
  }
  return [...scans.values()].flatMap(({ table, names }) =>
    foreignKeysOf(table).flatMap((foreignKey): readonly ForeignKey[] => {
      const columns = foreignKey.columns.flatMap((column) => names.get(column) ?? []);
      if (columns.length < foreignKey.columns.length) return [];
      return [{ ...foreignKey, name: null, comment: null, columns, base: table }];
    }),
  );
}

function nameOf({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A column of a table that a plan scans. */
interface PlanColumn {
  readonly table: ObjectName;
  readonly column: string;
  /** The alias of the scan: a plan may scan a table several times. */
  readonly scan: string;
  /** Whether an outer join may replace its value by null. */
  readonly isOptional: boolean;
}

/** The guarantees of a plan about the rows that it returns. */
interface PlanProof {
  /** For each item of the output a table column that it returns unchanged, if one is known. */
  readonly outputs: ReadonlyArray<PlanColumn | undefined>;
  /** The places in the output of the columns that no two rows share and that are never null; undefined without a proof. */
  readonly key: readonly number[] | undefined;
}

/** Returns the keys of a table: lists of columns that are unique and never null. The first is preferred. */
type KeysOf = (table: ObjectName) => ReadonlyArray<readonly string[]>;

/** Returns whether a constraint forbids null in a column of a table. */
type IsNeverNull = (table: ObjectName, column: string) => boolean;

/** Facts about the statement of a plan, and about the tables that it reads. */
interface PlanFacts {
  /** The alias of the view in the statement, which nothing in the view has. */
  readonly alias: string;
  /** All columns of the view. */
  readonly columnNames: readonly string[];
  readonly keysOf: KeysOf;
  readonly isNeverNull: IsNeverNull;
}

/** A column in the text of a plan, such as `o.id`. */
type Reference = string;

interface Key {
  readonly columns: readonly Reference[];
  /** Whether several workers of a parallel plan may return a row with this key. */
  readonly isOfWorker: boolean;
}

interface Rows {
  readonly columns: ReadonlyMap<Reference, PlanColumn>;
  readonly keys: readonly Key[];
}

type Node = Readonly<Record<string, unknown>>;

/** How the rows of a node follow from those of its children. A filter returns each row of its child at most once. */
const NODES: Readonly<Record<string, "filter" | "gather" | "group" | "join" | "scan">> = {
  "Seq Scan": "scan",
  "Index Scan": "scan",
  "Index Only Scan": "scan",
  "Bitmap Heap Scan": "scan",
  "Tid Scan": "scan",
  "Tid Range Scan": "scan",
  "Sample Scan": "scan",
  Sort: "filter",
  "Incremental Sort": "filter",
  Limit: "filter",
  LockRows: "filter",
  Materialize: "filter",
  Memoize: "filter",
  Hash: "filter",
  Unique: "group",
  WindowAgg: "filter",
  Result: "filter",
  "Nested Loop": "join",
  "Hash Join": "join",
  "Merge Join": "join",
  Gather: "gather",
  "Gather Merge": "gather",
  Aggregate: "group",
  Group: "group",
};

/**
 * Proves a key from the plan of a statement. Nodes that are not known, such as unions and functions that return sets, prove
 * nothing, and neither do nodes above them.
 * @param explained the first row of `explain (verbose, format json)`
 */
export function provePlan(explained: unknown, facts: PlanFacts): PlanProof {
  const parsed: unknown = typeof explained === "string" ? JSON.parse(explained) : explained;
  const top = Array.isArray(parsed) ? toNode(parsed[0])["Plan"] : undefined;
  if (top === undefined) return { outputs: [], key: undefined };
  const { columns, keys } = rowsOf(toNode(top), facts);
  const texts = textsOf(toNode(top)["Output"]);
  const outputs = texts.map((text) => columns.get(text));
  const key = keys
    .map((each) => each.columns.map((text) => texts.indexOf(text)))
    .find((places) => !places.includes(-1));
  return { outputs, key };
}

function nothing(): Rows {
  return { columns: new Map(), keys: [] };
}

function rowsOf(node: Node, facts: PlanFacts): Rows {
  const type = String(node["Node Type"]);
  const kind = Object.hasOwn(NODES, type) ? NODES[type] : undefined;
  if (kind === "scan") return scanned(node, facts.keysOf);
  const children = childrenOf(node);
  if (type === "Subquery Scan" && node["Alias"] === facts.alias) return renamed(node, children[0], facts);
  const outer = children.find((child) => child["Parent Relationship"] === "Outer");
  const inner = children.find((child) => child["Parent Relationship"] === "Inner");
  if (outer === undefined || kind === undefined) return nothing();
  const below = rowsOf(outer, facts);
  switch (kind) {
    case "filter":
      return below;
    case "join":
      return inner === undefined ? nothing() : joined(node, below, rowsOf(inner, facts));
    case "gather":
      return { ...below, keys: below.keys.filter(({ isOfWorker }) => !isOfWorker) };
    case "group":
      return grouped(node, below, facts.isNeverNull);
  }
}

function scanned(node: Node, keysOf: KeysOf): Rows {
  const { Schema: schema, "Relation Name": name, Alias: alias } = node;
  if (typeof schema !== "string" || typeof name !== "string" || typeof alias !== "string") return nothing();
  const table = { schema, name };
  const columns = new Map<Reference, PlanColumn>();
  const references = new Map<string, Reference>();
  for (const text of textsOf(node["Output"])) {
    const [of, column] = namesIn(text);
    if (of !== alias || column === undefined) continue;
    columns.set(text, { table, column, scan: alias, isOptional: false });
    references.set(column, text);
  }
  const keys = keysOf(table).flatMap((names) => {
    const found = names.flatMap((each) => references.get(each) ?? []);
    return found.length === names.length && names.length > 0 ? [{ columns: found, isOfWorker: false }] : [];
  });
  return { columns, keys };
}

/** The scan of the view itself renames the items of the output below, which begins with the columns of the view. */
function renamed(node: Node, child: Node | undefined, facts: PlanFacts): Rows {
  if (child === undefined) return nothing();
  const below = rowsOf(child, facts);
  const texts = textsOf(child["Output"]);
  const columns = new Map<Reference, PlanColumn>();
  const references = new Map<Reference, Reference>();
  for (const text of textsOf(node["Output"])) {
    const place = facts.columnNames.indexOf(namesIn(text)[1] ?? "");
    const inner = texts[place];
    const column = inner === undefined ? undefined : below.columns.get(inner);
    if (inner === undefined || column === undefined) continue;
    columns.set(text, column);
    references.set(inner, text);
  }
  const keys = below.keys.flatMap((key) => {
    const named = key.columns.flatMap((text) => references.get(text) ?? []);
    return named.length === key.columns.length ? [{ ...key, columns: named }] : [];
  });
  return { columns, keys };
}

/** Rows of the outer child keep their key if the join returns each at most once. */
function joined(node: Node, outer: Rows, inner: Rows): Rows {
  const type = String(node["Join Type"]);
  const isInnerOptional = !["Inner", "Right", "Right Semi", "Right Anti"].includes(type);
  const isOuterOptional = !["Inner", "Left", "Semi", "Anti"].includes(type);
  const columns = new Map([
    ...withOption(outer.columns, isOuterOptional),
    ...withOption(inner.columns, isInnerOptional),
  ]);
  const [isOuterUnique, isInnerUnique] = uniqueSides(node, outer, inner);
  const isOnce = type === "Semi" || type === "Anti" || node["Inner Unique"] === true || isInnerUnique;
  // These return rows of the inner child, each at most once in a worker.
  if (type === "Right Semi" || type === "Right Anti") {
    return { columns, keys: inner.keys.map((key) => ({ ...key, isOfWorker: true })) };
  }
  return {
    columns,
    keys: [...(isOnce && !isOuterOptional ? outer.keys : []), ...(isOuterUnique && !isInnerOptional ? inner.keys : [])],
  };
}

/** Whether a merge join compares a key of each side: both are sorted by the compared columns, and it has no other condition. */
function uniqueSides(node: Node, ...sides: readonly [outer: Rows, inner: Rows]): readonly boolean[] {
  const sorted = ["Outer", "Inner"].map((side) =>
    textsOf(childrenOf(node).find((child) => child["Parent Relationship"] === side)?.["Sort Key"]),
  );
  const pairs = sorted[0]?.map((text, at) => `${text} = ${String(sorted[1]?.[at])}`) ?? [];
  const plain = (text: unknown): string => String(text).replaceAll(/[()]|::text/g, "");
  const isWhole = pairs.length > 0 && plain(node["Merge Cond"]) === plain(pairs.join(" AND "));
  return sides.map(
    ({ keys }, at) => isWhole && keys.some(({ columns }) => columns.every((text) => sorted[at]?.includes(text))),
  );
}

function* withOption(
  columns: Rows["columns"],
  isOptional: boolean,
): Iterable<readonly [reference: Reference, column: PlanColumn]> {
  for (const [text, column] of columns) yield [text, { ...column, isOptional: column.isOptional || isOptional }];
}

/**
 * An aggregate returns one row for each group. Partial aggregates and grouping sets return several. `distinct` returns one row
 * for each combination of its sort keys, and keeps the keys of its rows.
 */
function grouped(node: Node, { columns, keys }: Rows, isNeverNull: IsNeverNull): Rows {
  const mode = node["Partial Mode"] ?? "Simple";
  const isDistinct = node["Node Type"] === "Unique";
  const texts = textsOf(isDistinct ? childrenOf(node)[0]?.["Sort Key"] : node["Group Key"]);
  const isOneRowEach = (mode === "Simple" || mode === "Finalize") && node["Grouping Sets"] === undefined;
  const isNamed = texts.every((text) => {
    const found = columns.get(text);
    return found !== undefined && !found.isOptional && isNeverNull(found.table, found.column);
  });
  const isKey = texts.length > 0 && isOneRowEach && isNamed;
  return { columns, keys: [...(isDistinct ? keys : []), ...(isKey ? [{ columns: texts, isOfWorker: true }] : [])] };
}

/** Splits `o.id` and `"Odd name"."a ""b"""` into their names; other expressions into none. */
function namesIn(text: string): readonly string[] {
  const matched = /^([a-z_][a-z0-9_$]*|"(?:[^"]|"")+")\.([a-z_][a-z0-9_$]*|"(?:[^"]|"")+")$/.exec(text) ?? [];
  return matched.slice(1).map((name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name));
}

function childrenOf(node: Node): readonly Node[] {
  return Array.isArray(node["Plans"]) ? node["Plans"].map(toNode) : [];
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function toNode(value: unknown): Node {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
