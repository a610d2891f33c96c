import { CompiledQuery, sql } from "kysely";
import { isODataError } from "../../base/errors/odata-error.ts";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { chain, type Maybe, recover } from "../../base/maybe.ts";
import { messageOf } from "../../base/message-of.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { StoredDatabase, StoredRows } from "../../definition/model/stored-database.ts";
import { ownProperties } from "../../edm/key-holder.ts";
import type { EntitySet, EntityType } from "../../edm/model.ts";
import { columnName } from "../columns/column-name.ts";
import { everyMember, type ColumnPlan, type PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { adviseColumn } from "../introspect/compare-tables.ts";
import { readSlots, toExecution } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { From } from "../translate/base-query.ts";
import { rawExpression, unnoted } from "../translate/relation.ts";
import { compileStatement } from "../translate/utc-session.ts";
import { resourceRulesReadIgnored } from "./column-use.ts";
import { readByRowRules } from "./compared-properties.ts";
import { joinsOf } from "./table-rows.ts";

/** The database of a checked query. */
interface QueryScope {
  readonly db: AnyKysely;
  readonly profile: Database;
  readonly service: ServiceDefinition;
  /** Runs a statement. */
  readonly run: (sql: string, parameters: readonly unknown[]) => Maybe<unknown>;
}

/** A column or an expression of a property. */
interface Needed {
  /** The key in objects of the application, after the keys of the complex properties around it. */
  readonly property: string;
  readonly column: string;
  /** The expression in place of the column. */
  readonly expression: string | undefined;
  /** Whether only `ctx.sets` reads the column: it may be missing. */
  readonly isOptional: boolean;
}

/** The name of the rows in a checked statement: expressions may use it. */
const ROWS = "odata_rows";

/**
 * Lets the database prepare the query of an entity set, with its columns. No row is read.
 * @returns the columns and expressions that the database refuses
 * @throws ODataError `ServiceUnavailable` if the database cannot be reached
 */
export function checkQuery(
  definition: EntitySetDefinition,
  rows: QueryRows,
  scope: QueryScope,
): Maybe<readonly SchemaFinding[]> {
  const { entitySet: set } = definition;
  const isRead = readsIgnored(definition, scope.service);
  const isOptional = (path: string): boolean => {
    const part = ignoredPartOf(set.entityType, path);
    return part !== undefined && !isRead(part.path);
  };
  const needed = Array.from(rows.plans, ([field, plan]) => neededBy(plan, field, isOptional)).flat();
  return chain(refusal(needed, rows, scope), (refused) =>
    refused === null ? [] : findFaults(set, needed, rows, scope),
  );
}

/** Returns the test whether a rule or a navigation of the set reads an ignored part. */
function readsIgnored(definition: EntitySetDefinition, service: ServiceDefinition): (path: string) => boolean {
  if (resourceRulesReadIgnored(definition)) return () => true;
  const joined = joinsOf(definition.entitySet).flatMap(({ join }) => ownProperties(join));
  const isJudged = readByRowRules(service);
  const judged = definition.entitySet.entityType.ignoredProperties.filter((property) => isJudged(definition, property));
  const fields = new Set([...joined, ...judged].map(({ field }) => field));
  return (path) => fields.has(path);
}

function neededBy(plan: ColumnPlan, property: string, isOptional: (path: string) => boolean): readonly Needed[] {
  if (plan.kind === "complex") {
    const members = everyMember(plan);
    return Array.from(members, ([member, each]) => neededBy(each, `${property}.${member}`, isOptional)).flat();
  }
  const { column, expression } = plan;
  // Each statement computes all expressions.
  return [{ property, column, expression, isOptional: expression === undefined && isOptional(property) }];
}

/** Returns the error of the database for columns and expressions; null if it accepts them. */
function refusal(
  needed: readonly Needed[],
  { from }: QueryRows,
  { db, profile, run }: QueryScope,
): Maybe<{ readonly reason: string } | null> {
  const cells = needed.map(({ column, expression }) =>
    expression === undefined ? sql`${sql.id(ROWS)}.${sql.id(column)}` : rawExpression(expression),
  );
  const list: Sql = sql.join(cells.length === 0 ? [sql`1`] : cells);
  const rows = from.as(ROWS, null, unnoted(profile));
  const compiled = compileStatement(sql`explain select ${list} from ${rows}`, db, profile);
  const execution = toExecution({ values: [], base: () => from.parameters });
  return recover(
    () => chain(run(compiled.sql, readSlots(compiled.parameters, execution)), () => null),
    (error) => {
      if (isODataError(error) && error.status === 503) throw error;
      const cause: unknown = isODataError(error) ? (error.cause ?? error) : error;
      return { reason: messageOf(cause) };
    },
  );
}

/** Finds out which columns and expressions the database refuses. */
async function findFaults(
  { name: set }: EntitySet,
  needed: readonly Needed[],
  rows: QueryRows,
  scope: QueryScope,
): Promise<readonly SchemaFinding[]> {
  const whole = await refusal([], rows, scope);
  if (whole !== null) {
    const message = `The database refuses the query of \`from\`: ${whole.reason}.`;
    return [{ set, code: "C01", severity: "error", message, fix: "Correct the query." }];
  }
  const findings: SchemaFinding[] = [];
  let names: readonly string[] | undefined;
  for (const each of needed) {
    const refused = await refusal([each], rows, scope);
    if (refused === null) continue;
    const { property, expression, isOptional } = each;
    const place = { set, property, code: "C02", severity: isOptional ? "warning" : "error" } as const;
    if (expression !== undefined) {
      const message = `The expression of \`${property}\` cannot be evaluated over the query: ${refused.reason}.`;
      const fix = `Correct \`columns: { ${property}: { sql } }\`: it may name the columns of the query.`;
      findings.push({ ...place, message, fix });
      continue;
    }
    names ??= await namesOf(rows, scope);
    const column = columnName(each.column, scope.db);
    const message = `The query of \`from\` returns no column \`${column}\`.`;
    findings.push({ ...place, column, message, fix: adviseColumn(column, property, names, "query") });
  }
  return findings;
}

/**
 * Returns the names of the columns of a query: those of a row that an outer join adds. Without rows on either side of it, a
 * database on several machines joins them on one of these; it refuses a condition that is never true.
 */
async function namesOf({ from }: QueryRows, { db, profile }: QueryScope): Promise<readonly string[]> {
  const id = sql.id(ROWS);
  const rows = from.as(ROWS, null, unnoted(profile));
  const none = sql`(select * from ${rows}${profile.syntax.limit(sql`0`, null)}) as ${id}`;
  const statement = sql`select ${id}.* from (select 1 as odata_one) as odata_one left join ${none} on 1 = 1`;
  const compiled = compileStatement(statement, db, profile);
  const parameters = readSlots(compiled.parameters, toExecution({ values: [], base: () => from.parameters }));
  try {
    const found = await db.withoutPlugins().executeQuery<object>(CompiledQuery.raw(compiled.sql, parameters));
    return found.rows.flatMap((row) => Object.keys(row));
  } catch {
    // The fault is reported without names.
    return [];
  }
}

/** The ignored part of an entity: a property or a member, with its path. */
interface IgnoredPart {
  readonly path: string;
  /** Whether it is a member of a complex value. */
  readonly isMember: boolean;
}

/** Returns the ignored property or member that a path leads to or through; undefined for a path that clients see. */
function ignoredPartOf(entityType: EntityType, path: string): IgnoredPart | undefined {
  const fields = path.split(".");
  let type: Pick<EntityType, "properties" | "ignoredProperties"> = entityType;
  for (const [index, field] of fields.entries()) {
    if (type.ignoredProperties.some((property) => property.field === field)) {
      return { path: fields.slice(0, index + 1).join("."), isMember: index > 0 };
    }
    const property = type.properties.find((each) => each.field === field);
    if (property?.type.kind !== "ComplexType") return undefined;
    type = property.type;
  }
  return undefined;
}

/**
 * Leaves the ignored properties and members without a column out of the statements of a set, if no rule and no navigation
 * reads them.
 */
export function omitAbsent(
  { name, entityType }: { readonly name: string; readonly entityType: EntityType },
  rows: { readonly omit: (paths: Iterable<string>) => void },
  findings: readonly SchemaFinding[],
): void {
  const absent = findings.filter(({ set, code, severity }) => set === name && code === "C02" && severity === "warning");
  rows.omit(absent.flatMap(({ property = "" }) => ignoredPartOf(entityType, property)?.path ?? []));
}

/** The query of the handlers of an entity set in place of a table, for the schema check. */
export class QueryRows implements StoredRows {
  readonly database: StoredDatabase;
  readonly from: From;
  /** Leaves ignored properties and members without a column out of statements, by their paths. */
  readonly omit: (paths: Iterable<string>) => void;
  readonly #plan: () => PlansByField;

  constructor(database: StoredDatabase, { from, omit }: Pick<QueryRows, "from" | "omit">, plan: () => PlansByField) {
    this.database = database;
    this.from = from;
    this.omit = omit;
    this.#plan = plan;
  }

  /** The columns of the properties, including ignored ones. */
  get plans(): PlansByField {
    return this.#plan();
  }
}
