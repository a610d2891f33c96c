import { isODataError } from "../../base/errors/odata-error.ts";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { messageOf } from "../../base/message-of.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type {
  DatabaseServer,
  ExamineOptions,
  RowEstimate,
  StoredDatabase,
  StoredRows,
  StoredSet,
} from "../../definition/model/stored-database.ts";
import { wantedTable } from "../columns/column-name.ts";
import { CATALOGUE_FACTS, factsOfRows } from "../connection/statement-facts.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import { runUndone } from "../connection/undone-statements.ts";
import type { Database } from "../forms/database.ts";
import type { DialectCatalogue } from "../forms/dialect-session.ts";
import { runSteps, type CatalogueQuery, type CatalogueSteps, type RunQuery } from "../introspect/catalogue-steps.ts";
import { compareTables } from "../introspect/compare-tables.ts";
import { estimateRows } from "../introspect/estimate-rows.ts";
import type { ExpectedTable } from "../introspect/expected-table.ts";
import { findMissingIndexes } from "../introspect/missing-indexes.ts";
import type { CheckedSchema } from "../introspect/schema.ts";
import { unavailable } from "../kinds/database-fault.ts";
import { comparePlacements } from "../placement/catalogue/compare-placements.ts";
import type { Connected } from "../read/connected.ts";
import type { SqlRows } from "../read/sql-rows.ts";
import type { JoinComparisons } from "../translate/relation.ts";
import { checkCells } from "./check-cells.ts";
import { checkFractions } from "./check-limits.ts";
import { checkLostCells } from "./check-lost-cells.ts";
import { checkPrivileges } from "./check-privileges.ts";
import { checkQuery, omitAbsent, QueryRows } from "./check-query.ts";
import { checkSessions, compareJoins, textPairs } from "./compare-joins.ts";
import { examineDatabase } from "./examine-database.ts";
import { expectedTables } from "./expected-tables.ts";
import { type CheckedSet, TableRows } from "./table-rows.ts";
import { undeclaredObjects } from "./undeclared-objects.ts";

/** The sets over the tables of one database, and their service. */
interface ServedSets {
  readonly sets: readonly CheckedSet[];
  readonly service: ServiceDefinition;
}

/** Every database can return this row. */
const ONE_ROW: CatalogueQuery = { sql: "select 1 as c0", parameters: [], width: 1 };

/** The database of one Kysely instance, for comparison with declarations. */
class SchemaDatabase implements StoredDatabase {
  readonly #db: AnyKysely;
  readonly #profile: Database;
  readonly #rows: SqlRows;
  /** Receives how the database compares joins. */
  readonly #comparisons: JoinComparisons;
  readonly servers: readonly DatabaseServer[];
  /** Receives the tables of the database, and the other facts on which statements depend. */
  readonly #layout: Connected["layout"];

  constructor({ db, profile, rows, comparisons, layout }: Connected) {
    this.#db = db;
    this.#profile = profile;
    this.#rows = rows;
    this.#comparisons = comparisons;
    this.#layout = layout;
    this.servers = rows.servers.map((server) => new ReachedServer(profile.name, server.role, server.rows));
  }

  findDifferences(stored: readonly StoredSet[], service: ServiceDefinition): Maybe<readonly SchemaFinding[]> {
    return this.#findAll(stored, service, (expected, sets) => this.#compare(expected, { sets, service }));
  }

  examine(
    stored: readonly StoredSet[],
    service: ServiceDefinition,
    options: ExamineOptions,
  ): Maybe<readonly SchemaFinding[]> {
    return this.#findAll(stored, service, (expected, sets) => this.#examine(expected, { sets, service }, options));
  }

  estimateRows(rows: StoredRows): Maybe<RowEstimate | null> {
    if (!(rows instanceof TableRows)) return null;
    return this.#run(estimateRows(this.#profile.session.catalogue, wantedTable(rows.table, this.#db)));
  }

  #findAll(
    stored: readonly StoredSet[],
    service: ServiceDefinition,
    compare: (
      expected: readonly ExpectedTable[],
      sets: readonly CheckedSet[],
    ) => CatalogueSteps<readonly SchemaFinding[]>,
  ): Maybe<readonly SchemaFinding[]> {
    const sets = stored.flatMap(({ set, rows }) => (rows instanceof TableRows ? [{ set, rows: rows.forCheck() }] : []));
    const queries = stored.flatMap(({ set, rows }) => (rows instanceof QueryRows ? [{ set, rows }] : []));
    const ofTables = sets.length === 0 ? [] : this.#run(compare(this.#expected(sets, service), sets));
    const all = chain(ofTables, (findings) =>
      chain(this.#run(this.#checkSessions([...sets, ...queries])), (more) => [...findings, ...more]),
    );
    return chain(all, (findings) => this.#checkQueries(queries, service, findings));
  }

  *#checkSessions(sets: Parameters<typeof checkSessions>[0]): CatalogueSteps<readonly SchemaFinding[]> {
    const { catalogue } = this.#profile.session;
    // A catalogue that cannot be read is reported with the tables.
    const found = yield* orUnreadable("", () => checkSessions(sets, catalogue));
    return found.filter(({ code }) => code === "C15");
  }

  #checkQueries(
    [first, ...others]: ReadonlyArray<{ readonly set: EntitySetDefinition; readonly rows: QueryRows }>,
    service: ServiceDefinition,
    findings: readonly SchemaFinding[],
  ): Maybe<readonly SchemaFinding[]> {
    if (first === undefined) return findings;
    const run = (sql: string, parameters: readonly unknown[]): ReturnType<RunQuery> =>
      this.#rows.all({ sql, isInternal: true, facts: CATALOGUE_FACTS }, parameters);
    const found = checkQuery(first.set, first.rows, { db: this.#db, profile: this.#profile, service, run });
    return chain(found, (more) => {
      omitAbsent(first.set.entitySet, first.rows, more);
      return this.#checkQueries(others, service, [...findings, ...more]);
    });
  }

  #expected(sets: readonly CheckedSet[], service: ServiceDefinition): readonly ExpectedTable[] {
    const { storedTypes } = this.#profile.session.catalogue;
    return expectedTables({ db: this.#db, storedTypes, service, sets });
  }

  #run<T>(steps: CatalogueSteps<T>): Maybe<T> {
    return runSteps(steps, (query) => {
      const { sql, parameters, width, rowsOf, most } = query;
      if (query.undone !== undefined) return runUndone(this.#db.withoutPlugins(), query);
      const facts = rowsOf === undefined ? CATALOGUE_FACTS : factsOfRows(rowsOf, most);
      return this.#rows.all({ sql, width, isInternal: true, facts }, parameters);
    });
  }

  *#compare(
    expected: readonly ExpectedTable[],
    { sets, service }: ServedSets,
  ): CatalogueSteps<readonly SchemaFinding[]> {
    const { catalogue } = this.#profile.session;
    const set = nameOf(sets[0]);
    const database = { db: this.#db, profile: this.#profile };
    const joins = textPairs({ ...database, storedTypes: catalogue.storedTypes, service, sets });
    const comparisons = this.#comparisons;
    const layout = this.#layout;
    const steps = function* (): CatalogueSteps<readonly SchemaFinding[]> {
      const schema = yield* catalogue.read(expected);
      const texts = joins.length > 0 ? yield* catalogue.readTexts(expected, schema) : [];
      if (joins.length > 0) compareJoins(joins, texts, database.profile.values, comparisons);
      layout.add(schema.tables, [schema.isUtcSession, schema.ignoresCase, texts]);
      const findings = [
        ...(yield* findDifferences(expected, expected, schema, catalogue)),
        ...checkFractions(expected, schema),
      ];
      for (const { set: checked, rows } of sets) omitAbsent(checked.entitySet, rows, findings);
      return [...findings, ...(yield* checkLostCells(sets, service, database, findings))];
    };
    return [...(yield* orUnreadable(set, steps)), ...this.#poolFindings(set)];
  }

  *#examine(
    expected: readonly ExpectedTable[],
    { sets, service }: ServedSets,
    { undeclared }: ExamineOptions,
  ): CatalogueSteps<readonly SchemaFinding[]> {
    const { catalogue } = this.#profile.session;
    const set = nameOf(sets[0]);
    const database = { db: this.#db, profile: this.#profile };
    const steps = function* (): CatalogueSteps<readonly SchemaFinding[]> {
      const wanted = yield* catalogue.readWanted(expected);
      const hidden = yield* checkPrivileges(expected, wanted);
      // Statements over tables that the user may not read fail.
      const isHidden = ({ text }: ExpectedTable): boolean => wanted.objects.get(text)?.omission?.code === "unreadable";
      const readable = expected.filter((table) => !isHidden(table));
      const known = yield* findDifferences(expected, readable, yield* catalogue.read(expected), catalogue);
      const others = undeclared ? undeclaredObjects(wanted) : [];
      const findings = [...hidden, ...(yield* examineDatabase(readable, wanted, known)), ...others];
      const lost = yield* checkLostCells(sets, service, database, findings);
      return [...findings, ...lost, ...(yield* checkCells(sets, database, [...findings, ...lost]))];
    };
    return [...(yield* orUnreadable(set, steps)), ...this.#poolFindings(set)];
  }

  #poolFindings(set: string): readonly SchemaFinding[] {
    if (this.#rows.isGuarded) return [];
    const message =
      "The pool behind Kysely's PostgresDialect is not accessible, so a connection that the database terminates may end the process.";
    const fix = "Use postgresDialect({ pool }) of odatakit/postgres.";
    return [{ set, code: "C00", severity: "warning", message, fix }];
  }
}

/** A server of a database. If it hangs, it gets no further statements. */
class ReachedServer implements DatabaseServer {
  readonly dialect: string;
  readonly role: DatabaseServer["role"];
  readonly #rows: SqlRows;
  #running: Promise<unknown> | null = null;

  constructor(dialect: string, role: DatabaseServer["role"], rows: SqlRows) {
    this.dialect = dialect;
    this.role = role;
    this.#rows = rows;
  }

  reach(): Promise<unknown> {
    this.#running ??= this.#read().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #read(): Promise<unknown> {
    return this.#rows.all({ ...ONE_ROW, isInternal: true }, ONE_ROW.parameters);
  }
}

/** Returns the database of a Kysely instance for the schema check: the same one for all sets of the instance. */
export const schemaDatabaseOf: (connected: Connected) => StoredDatabase = keptPer(
  (connected: Connected) => new SchemaDatabase(connected),
);

function nameOf(first: CheckedSet | undefined): string {
  return first?.set.entitySet.name ?? "";
}

/** @param readable those whose rows statements may read */
function* findDifferences(
  expected: readonly ExpectedTable[],
  readable: readonly ExpectedTable[],
  schema: CheckedSchema,
  catalogue: DialectCatalogue,
): CatalogueSteps<readonly SchemaFinding[]> {
  return [
    ...(yield* withoutUnlisted(compareTables(expected, schema), expected)),
    ...comparePlacements(expected, schema),
    ...(yield* checkExpressions(readable.filter(({ text }) => schema.tables.has(text)))),
    ...(yield* findMissingIndexes(readable, schema, catalogue)),
  ];
}

/** Reports a catalogue that cannot be read instead of its differences. */
function* orUnreadable(
  set: string,
  steps: () => CatalogueSteps<readonly SchemaFinding[]>,
): CatalogueSteps<readonly SchemaFinding[]> {
  try {
    return yield* steps();
  } catch (error) {
    if (isODataError(error) && error.status === 503) throw error;
    yield* reach(error);
    return [unreadable(set, error)];
  }
}

/**
 * Distinguishes a database that refuses the connection, as with a wrong password, from a database that hides its catalogue.
 * @param failure the error of the catalogue query
 * @throws ODataError `ServiceUnavailable`
 */
function* reach(failure: unknown): CatalogueSteps<void> {
  try {
    yield ONE_ROW;
  } catch {
    throw unavailable(failure);
  }
}

/** Lets the database compile the expressions of declarations. */
function* checkExpressions(expected: readonly ExpectedTable[]): CatalogueSteps<readonly SchemaFinding[]> {
  const findings: SchemaFinding[] = [];
  for (const table of expected) {
    const { text, names, set, expressions = [] } = table;
    for (const { property, sql } of expressions) {
      try {
        yield { ...noRowsOf(table), sql: `select (${sql}\n) as c0 from ${text} where 1 = 0` };
      } catch (error) {
        const reason = messageOf(error);
        const name = names.join(".");
        const message = `The expression of \`${property}\` cannot be evaluated over \`${name}\`: ${reason}.`;
        const fix = `Correct \`columns: { ${property}: { sql } }\`: it may name the columns of the table.`;
        findings.push({ set, table: name, property, code: "C02", severity: "error", message, fix });
      }
    }
  }
  return findings;
}

/** A statement that reads no row. SQLite may compute a view for it nevertheless. */
function noRowsOf(table: ExpectedTable): CatalogueQuery {
  return { sql: `select 1 as c0 from ${table.text} where 1 = 0`, parameters: [], width: 1, rowsOf: table, most: 1 };
}

/** Removes findings of tables that exist outside the catalogue, such as temporary tables of MariaDB. */
function* withoutUnlisted(
  findings: readonly SchemaFinding[],
  expected: readonly ExpectedTable[],
): CatalogueSteps<readonly SchemaFinding[]> {
  const missing = new Set(findings.filter(({ code }) => code === "C01").map(({ table }) => table));
  for (const each of expected) {
    const table = each.names.join(".");
    if (!missing.has(table)) continue;
    try {
      yield noRowsOf(each);
      missing.delete(table);
    } catch {
      // The table does not exist.
    }
  }
  return findings.filter(({ code, table }) => code !== "C01" || missing.has(table));
}

/** Makes the finding for an unreadable catalogue, which does not prevent a service from starting. */
function unreadable(set: string, error: unknown): SchemaFinding {
  const reason = messageOf(error);
  const message = `The catalogue of the database cannot be read, so its schema is not checked: ${reason}.`;
  const fix = "Let the user of the service read the catalogue, or set `schemaCheck: false`.";
  return { set, code: "C00", severity: "warning", message, fix };
}
