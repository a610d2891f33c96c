import type { RunQuery } from "../../introspect/catalogue-steps.ts";
import type { DatabaseKind, DatabaseSchema, ObjectColumn } from "../../introspect/database-schema.ts";
import { quoteName } from "../../introspect/quote-name.ts";
import type { AnyKysely } from "../../kysely/connection/synchronous-reader.ts";
import type { DescribedProperty, DescribedService, DescribedSet, DescribedWarning } from "../described-service.ts";
import { placeOf } from "../mapping/rough-mapping.ts";
import { limitedRun } from "./limited-run.ts";
import { quotedTable } from "./table-options.ts";

/** Milliseconds for one table. The search needs an index only, unless the key has none. */
const TIMEOUT = 400;

/** Conditions of SQL about one column of a key. */
interface KeyCondition {
  /** Whether the property can have the value. */
  readonly readable: string;
  /** Whether it cannot, in a form that an index answers. */
  readonly unreadable: string;
}

/**
 * Looks for rows whose key no property can have, such as infinity, NaN, a zero date, or a text in a column of integers
 * beyond the sampled rows of SQLite. A set leaves such rows out, because an entity without a key cannot be addressed.
 * @returns the service with the conditions of these sets, and a warning for each
 */
export async function excludeUnreadableKeys(
  db: AnyKysely,
  schema: DatabaseSchema,
  service: DescribedService,
): Promise<DescribedService> {
  const run = limitedRun(db, () => TIMEOUT);
  const sets: DescribedSet[] = [];
  const warnings: DescribedWarning[] = [];
  for (const set of service.sets) {
    const conditions = keyConditions(set, schema);
    const isFound = conditions.length > 0 && (await hasRow(run, set, schema.kind, conditions));
    sets.push(isFound ? { ...set, excludes: conditions.map(({ readable }) => readable) } : set);
    if (!isFound) continue;
    const keys = set.properties.filter(({ isKey }) => isKey).map(({ column }) => column);
    const message = `has rows whose ${keys.join(", ")} is no value of the key, which are left out`;
    warnings.push({ code: "unreadable-key", place: placeOf(set.table), message, flag: null });
  }
  return { ...service, sets, warnings: [...service.warnings, ...warnings] };
}

function keyConditions(set: DescribedSet, schema: DatabaseSchema): readonly KeyCondition[] {
  const object = schema.objects.find(
    ({ schema: name, ...each }) => name === set.table.schema && each.name === set.table.name,
  );
  return set.properties
    .filter(({ isKey, sql }) => isKey && sql === null)
    .flatMap((property) => {
      const column = object?.columns.find(({ name }) => name === property.column);
      return column === undefined ? [] : (CONDITIONS[schema.kind](property, column, set) ?? []);
    });
}

type ConditionOf = (property: DescribedProperty, column: ObjectColumn, set: DescribedSet) => KeyCondition | undefined;

const CONDITIONS: Readonly<Record<DatabaseKind, ConditionOf>> = {
  postgres: ({ type, column, storage }) => {
    const name = quoteName(column, "postgres");
    if (type === "Edm.Date" || type === "Edm.DateTimeOffset") return between(name, "'0001-01-01 BC'", "'10000-01-01'");
    if (type === "Edm.TimeOfDay") return { readable: `${name} < '24:00'`, unreadable: `${name} = '24:00'` };
    // NaN and infinity are greater than all numbers. Older versions have no literal of infinity.
    return type === "Edm.Decimal" && storage === null ? between(name, "-1e131000", "1e131000") : undefined;
  },
  mysql: ({ type, column }) => {
    const name = quoteName(column, "mysql");
    // A tinyint(1) has other numbers, too.
    if (type === "Edm.Boolean") return { readable: `${name} in (0, 1)`, unreadable: `not ${name} in (0, 1)` };
    if (type !== "Edm.Date" && type !== "Edm.DateTimeOffset") return undefined;
    const readable = `(month(${name}) > 0 and dayofmonth(${name}) > 0)`;
    return { readable, unreadable: `not coalesce(${readable}, true)` };
  },
  sqlite: ({ column, type }, { sample, isIdentity }, { estimatedRows, key }) => {
    // A sample of all rows has decided the type already.
    if (sample === null || isIdentity || key === "rowid" || estimatedRows !== null) return undefined;
    const name = quoteName(column, "sqlite");
    const { integers, reals, texts, blobs } = sample;
    const isText = texts > 0;
    const isNumber = integers + reals > 0;
    if (blobs > 0 || isText === isNumber) return undefined;
    if (isText) {
      return { readable: `typeof(${name}) = 'text'`, unreadable: `${name} is null or ${name} < '' or ${name} >= x''` };
    }
    const classes = reals > 0 ? "'integer', 'real'" : "'integer'";
    const known = { readable: `typeof(${name}) in (${classes})`, unreadable: `${name} is null or ${name} >= ''` };
    if (type !== "Edm.Decimal") return known;
    // Decimals have no infinity.
    return {
      readable: `(${known.readable} and ${name} > -9e999 and ${name} < 9e999)`,
      unreadable: `${known.unreadable} or ${name} <= -9e999 or ${name} >= 9e999`,
    };
  },
};

function between(name: string, least: string, beyond: string): KeyCondition {
  return {
    readable: `(${name} >= ${least} and ${name} < ${beyond})`,
    unreadable: `(${name} < ${least} or ${name} >= ${beyond})`,
  };
}

/** A table that takes too long is treated as if it had such rows. */
async function hasRow(
  run: RunQuery,
  set: DescribedSet,
  kind: DatabaseKind,
  conditions: readonly KeyCondition[],
): Promise<boolean> {
  const where = conditions.map(({ unreadable }) => unreadable).join(" or ");
  const sql = `select 1 as c0 from ${quotedTable(set, kind)} where ${where} limit 1`;
  try {
    return (await run({ sql, parameters: [], width: 1 })).length > 0;
  } catch {
    return true;
  }
}
