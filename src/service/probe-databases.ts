import { ConfigurationError } from "../base/errors/configuration-error.ts";
import { isODataError } from "../base/errors/odata-error.ts";
import { once } from "../base/memo.ts";
import { LONGEST_TIME, withinTime } from "../base/within-time.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import type { DatabaseServer } from "../definition/model/stored-database.ts";
import { adviseName, describe, isObject } from "../definition/option-table.ts";
import type { ServerRole } from "../language/query/reading.ts";
import { type DatabaseCheck, databaseChecks } from "./schema-gate.ts";

/** The options of `service.probe`. */
export interface ProbeOptions {
  /** The milliseconds in which each database must respond. Default 2000. */
  readonly timeout?: number | undefined;
}

/** Whether the databases of a service respond: the result of `service.probe`. */
export interface ProbeReport {
  /** Whether every primary responds. Reads use it if no other server responds. */
  readonly ok: boolean;
  /** In the order of the sets; the primary of a database comes first. */
  readonly databases: readonly ProbedDatabase[];
}

/** One server of a service, and whether it responds. */
export interface ProbedDatabase {
  /** The entity sets that read and write it. */
  readonly sets: readonly string[];
  readonly dialect: string;
  readonly role: ServerRole;
  readonly ok: boolean;
  /** The milliseconds until the response, or until its failure. */
  readonly ms: number;
  /** The reason of a failure, for the log of the application: it may name hosts and users. */
  readonly error?: Error | undefined;
}

const DEADLINE = 2000;

/** Makes the function that reads one row of each database of a service. */
export function databaseProbe(service: ServiceDefinition): (options?: ProbeOptions) => Promise<ProbeReport> {
  const checks = once(() => databaseChecks(service));
  return (options) => probeDatabases(checks(), options);
}

/**
 * Reads one row of each database. A server that hangs gets no further statement until the last one ends, so that it occupies
 * one connection at most.
 * @throws ConfigurationError for invalid options; never for a database
 * @see docs/guides/production.md, Health checks
 */
async function probeDatabases(checks: readonly DatabaseCheck[], options: ProbeOptions = {}): Promise<ProbeReport> {
  const timeout = readTimeout(options);
  const probed = checks.flatMap(({ database, sets }) => database.servers.map((server) => ({ server, sets })));
  const databases = await Promise.all(probed.map(({ server, sets }) => probe(server, sets, timeout)));
  const ok = databases.every((each) => each.ok || each.role !== "primary");
  return Object.freeze({ ok, databases: Object.freeze(databases) });
}

/** Reads the options of `probe`. @throws ConfigurationError for an unknown option, or a wrong value */
function readTimeout(options: ProbeOptions): number {
  if (!isObject(options)) {
    const message = `The options of probe cannot be ${describe(options)}.`;
    throw new ConfigurationError([{ message, fix: "Give { timeout: 2000 }." }]);
  }
  const { timeout = DEADLINE, ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new ConfigurationError([
      { message: `probe has no option \`${unknown}\`.`, fix: adviseName(unknown, ["timeout"]) },
    ]);
  }
  const isNumber = typeof timeout === "number" && Number.isSafeInteger(timeout);
  if (isNumber && timeout >= 1 && timeout <= LONGEST_TIME) return timeout;
  const fix = `Give whole milliseconds from 1 to ${String(LONGEST_TIME)}.`;
  throw new ConfigurationError([{ message: `\`timeout\` of probe cannot be ${describe(timeout)}.`, fix }]);
}

async function probe(server: DatabaseServer, sets: readonly string[], timeout: number): Promise<ProbedDatabase> {
  const { dialect, role } = server;
  const begun = performance.now();
  const reported = (failure?: { readonly error: Error }): ProbedDatabase =>
    Object.freeze({ sets, dialect, role, ok: failure === undefined, ms: performance.now() - begun, ...failure });
  try {
    await withinTime(server.reach(), timeout, lateResponse);
    return reported();
  } catch (error) {
    return reported({ error: reasonOf(error) });
  }
}

function lateResponse(timeout: number): Error {
  return new Error(`The database did not respond within ${String(timeout)} ms.`);
}

/** Returns the error of the driver: requests receive an error of the protocol in its place. */
function reasonOf(error: unknown): Error {
  const reason: unknown = isODataError(error) ? (error.cause ?? error) : error;
  return reason instanceof Error ? reason : new Error(String(reason));
}
