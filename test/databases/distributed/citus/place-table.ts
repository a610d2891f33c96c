/** Runs a statement. @returns its rows */
export type Run = (text: string, parameters?: readonly unknown[]) => Promise<readonly unknown[]>;

/** Where Citus stores a table: by the values of a column, or whole on each machine. */
export type Placement = { readonly kind: "distributed"; readonly column: string } | { readonly kind: "reference" };

/** A table in the catalogue. */
export interface TableFacts {
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
  /** The columns of unique constraints and indexes, the primary key included. */
  readonly unique: ReadonlyArray<readonly string[]>;
  readonly refersToItself: boolean;
}

/**
 * Returns where to store a table: by the first column of its key, otherwise by its first column. Citus demands that each
 * unique constraint contains this column, and that foreign keys refer to whole tables on each machine.
 */
export function placementOf({ columns, primaryKey, unique, refersToItself }: TableFacts): Placement {
  const column = primaryKey[0] ?? columns[0];
  const isUnique = column !== undefined && unique.every((names) => names.includes(column));
  return column === undefined || refersToItself || !isUnique ? { kind: "reference" } : { kind: "distributed", column };
}

const FACTS = `select
  array(select attname::text from pg_attribute where attrelid = t.oid and attnum > 0 and not attisdropped order by attnum) as columns,
  array(select a.attname::text from pg_index i, unnest(i.indkey::int2[]) with ordinality as k(number, place), pg_attribute a
    where i.indrelid = t.oid and i.indisprimary and a.attrelid = t.oid and a.attnum = k.number order by k.place) as "primaryKey",
  (select coalesce(json_agg(names), '[]') from (select array(select a.attname::text from unnest(i.indkey::int2[]) as k(number),
    pg_attribute a where a.attrelid = t.oid and a.attnum = k.number) as names
    from pg_index i where i.indrelid = t.oid and i.indisunique) as found) as unique,
  exists(select from pg_constraint where conrelid = t.oid and confrelid = t.oid) as "refersToItself"
  from pg_class t where t.oid = to_regclass($1)`;

/** Stores a new table as Citus can. @param name as statements write it */
export async function placeTable(run: Run, name: string): Promise<Placement | null> {
  const [facts] = (await run(FACTS, [name])) as readonly TableFacts[];
  // A temporary table, or a table already placed.
  if (facts === undefined || (await isPlaced(run, name))) return null;
  const placement = placementOf(facts);
  if (placement.kind === "reference") await run("select create_reference_table($1::text::regclass)", [name]);
  else await run("select create_distributed_table($1::text::regclass, $2)", [name, placement.column]);
  return placement;
}

/** Stores a table whole on each machine, because another one is about to refer to it. */
export async function placeReferred(run: Run, name: string): Promise<void> {
  const distributed = "select 1 from pg_dist_partition where logicalrelid = to_regclass($1) and partmethod <> 'n'";
  if ((await run(distributed, [name])).length === 0) return;
  await run("select undistribute_table($1::text::regclass)", [name]);
  await run("select create_reference_table($1::text::regclass)", [name]);
}

async function isPlaced(run: Run, name: string): Promise<boolean> {
  return (await run("select 1 from pg_dist_partition where logicalrelid = to_regclass($1)", [name])).length > 0;
}

const NAME = String.raw`((?:(?:"(?:[^"]|"")+"|\w+)\.)?(?:"(?:[^"]|"")+"|\w+))`;
const CREATED = new RegExp(String.raw`^\s*create table (?:if not exists )?${NAME}\s*\(`, "i");
const REFERRED = new RegExp(String.raw`\breferences ${NAME}`, "gi");

/** Runs a statement; before and after it creates a table, places the tables. */
export async function runPlacing<T>(run: Run, text: string, execute: () => Promise<T>): Promise<T> {
  const [, created] = CREATED.exec(text) ?? [];
  if (created === undefined) return execute();
  for (const [, referred = ""] of text.matchAll(REFERRED)) await placeReferred(run, referred);
  const result = await execute();
  await placeTable(run, created);
  return result;
}
