import { ConfigurationError } from "../base/errors/configuration-error.ts";
import type { SchemaFinding, SchemaFindingCode } from "../base/errors/schema-finding.ts";
import { descriptionOf } from "../definition/model/service-definition.ts";
import type { ExamineOptions } from "../definition/model/stored-database.ts";
import { describe } from "../definition/option-table.ts";
import type { ODataService } from "./odata-service.ts";
import { databaseChecks, explainUnreadable, SCHEMA_FAULTS, type DatabaseCheck } from "./schema-gate.ts";

export type { SchemaFindingCode };

/** The options of `checkDatabase`. */
export interface CheckDatabaseOptions {
  /** The least severity of a finding that rejects; absent: none does. */
  readonly fail?: "error" | "warning" | undefined;
  /** Whether tables and views that no set declares are findings; false if absent. */
  readonly undeclared?: boolean | undefined;
}

/** A difference between the declarations of a service and its databases. */
export interface DatabaseFinding {
  readonly code: SchemaFindingCode;
  /** An error makes requests fail or responses wrong; a warning makes them slow, or may make them wrong later. */
  readonly severity: "error" | "warning" | "info";
  /** The subject of the finding, such as `Orders.placedAt` or `Orders`. */
  readonly subject: string;
  /** The entity set. */
  readonly set: string;
  /** The property, by its field name, or the navigation. */
  readonly property?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  /** The problem. */
  readonly message: string;
  /** The correction: a statement of SQL, or the declaration to write. */
  readonly fix: string;
}

/** The result of `checkDatabase`. */
export interface DatabaseReport {
  /** Errors first, then in the order of sets and codes. */
  readonly findings: readonly DatabaseFinding[];
  /** The number of entity sets over databases. */
  readonly sets: number;
  /** The number of their properties. */
  readonly columns: number;
}

/**
 * Compares the declarations of a service with its databases, thoroughly. `service.ready()` finds differences that prevent a
 * service from starting. This function also finds causes of slow requests, and values that requests could not read or write.
 * @throws ConfigurationError if `fail` is given and a finding is so severe; Error if a database cannot be reached
 * @see docs/reference/check.md
 */
export async function checkDatabase(
  service: ODataService,
  { fail, undeclared = false }: CheckDatabaseOptions = {},
): Promise<DatabaseReport> {
  const description = descriptionOf(service);
  if (description === undefined) {
    const message = `\`checkDatabase\` got ${describe(service)}, which is not a service.`;
    throw new ConfigurationError([{ message, fix: "Give the result of `odataService`." }]);
  }
  const checks = databaseChecks(description.definition);
  const found: DatabaseFinding[] = [];
  for (const check of checks) found.push(...(await examine(check, { undeclared })).map(toFinding));
  const findings = found.toSorted(byPlace);
  const failing = findings.filter(({ severity }) => fail === severity || (fail === "warning" && severity === "error"));
  if (failing.length > 0) {
    const faults = failing.map(({ severity: _severity, subject: _subject, ...fault }) => fault);
    throw new ConfigurationError(faults, { where: SCHEMA_FAULTS });
  }
  const names = new Set(checks.flatMap(({ sets }) => sets));
  const columns = Array.from(
    names,
    (name) => description.definition.entitySets.get(name)?.entitySet.entityType.properties.length ?? 0,
  );
  return Object.freeze({
    findings: Object.freeze(findings),
    sets: names.size,
    columns: columns.reduce((sum, count) => sum + count, 0),
  });
}

async function examine(check: DatabaseCheck, options: ExamineOptions): Promise<readonly SchemaFinding[]> {
  try {
    return await check.examine(options);
  } catch (error) {
    throw explainUnreadable(check, error);
  }
}

function toFinding(finding: SchemaFinding): DatabaseFinding {
  const { code, severity, set, property, table, column, message, fix } = finding;
  const subject = [set, property].filter((part) => part !== undefined && part !== "").join(".");
  const optional = Object.entries({ property, table, column }).filter(([, value]) => value !== undefined);
  return Object.freeze({ code, severity, subject, set, ...Object.fromEntries(optional), message, fix });
}

const SEVERITIES: ReadonlyArray<DatabaseFinding["severity"]> = ["error", "warning", "info"];

/** Compares texts by code units, so that the order is the same everywhere. */
function byPlace(one: DatabaseFinding, other: DatabaseFinding): number {
  const keyOf = (each: DatabaseFinding): string =>
    [SEVERITIES.indexOf(each.severity), each.subject, each.code, each.table, each.column, each.message].join("\u0000");
  const [first, second] = [keyOf(one), keyOf(other)];
  return first < second ? -1 : Number(first > second);
}
