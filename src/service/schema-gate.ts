import { ConfigurationError } from "../base/errors/configuration-error.ts";
import { driverFields } from "../base/errors/driver-fields.ts";
import { isODataError, protocolError, type ODataError } from "../base/errors/odata-error.ts";
import type { SchemaFinding } from "../base/errors/schema-finding.ts";
import { chain, isPromiseLike, recover } from "../base/maybe.ts";
import { withinTime } from "../base/within-time.ts";
import type { Logger } from "../definition/logger.ts";
import { pathOf, type RequestFields, requestFields } from "../definition/model/request-fields.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import type { SchemaCheck } from "../definition/model/service-options.ts";
import type { ExamineOptions, StoredDatabase, StoredHandler, StoredSet } from "../definition/model/stored-database.ts";
import type { AdmitTenant } from "../definition/model/tenant-check.ts";

/** The place of the faults that the check finds. */
export const SCHEMA_FAULTS = "where its declarations and its database differ";
/** Milliseconds for which requests reuse the result of a check that found faults. */
const KEPT = 1000;
/** Milliseconds after which a database that does not return its catalogue counts as unreachable. */
const DEADLINE = 30_000;

/** The result of a check: undefined if the service may start. */
type Outcome = undefined | PromiseLike<undefined>;

/**
 * Admits requests after the declarations of the service were found to match its databases.
 * @see docs/reference/schema-check.md
 */
export class SchemaGate {
  readonly #checks: readonly GateCheck[];
  readonly #mode: SchemaCheck;
  readonly #logger: Logger;
  #isOpen: boolean;
  #findings: readonly SchemaFinding[] = [];
  #running: PromiseLike<undefined> | null = null;
  #refused: { readonly error: unknown; readonly until: number } | null = null;

  constructor(checks: readonly GateCheck[], mode: SchemaCheck, logger: Logger) {
    this.#checks = mode === false ? [] : checks;
    this.#mode = mode;
    this.#logger = logger;
    this.#isOpen = this.#checks.length === 0;
  }

  /** Whether requests need not wait for the check. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns the findings of the last check, after the first one. Never rejects. */
  readonly findings = async (): Promise<readonly SchemaFinding[]> => {
    await recover(
      () => this.#check(),
      () => undefined,
    );
    return this.#findings;
  };

  /**
   * Checks the databases, unless an earlier check has passed.
   * @throws ConfigurationError with every fault; Error if a database cannot be reached
   */
  async ready(): Promise<void> {
    try {
      await this.#check();
    } catch (error) {
      throw isODataError(error) ? error.cause : error;
    }
  }

  /**
   * Admits a request, synchronously if the databases are synchronous.
   * @param request the fields of the request for the log
   * @throws ODataError without the faults, which are only in the log
   */
  enter(request: RequestFields): Outcome {
    if (this.#refused !== null && performance.now() < this.#refused.until) throw this.#refused.error;
    return recover(
      () => this.#check(request),
      (error) => {
        throw this.#refuse(error, request);
      },
    );
  }

  /** @param request the request that started the check; absent if the application started it */
  #check(request?: RequestFields): Outcome {
    if (this.#isOpen) return undefined;
    if (this.#running !== null) return this.#running;
    const outcome = chain(
      runChecks(this.#checks, (check) => this.#run(check, request)),
      (findings) => this.#judge(findings, request),
    );
    if (!isPromiseLike(outcome)) return outcome;
    const done = (): void => {
      this.#running = null;
    };
    this.#running = Promise.resolve(outcome).finally(done);
    return this.#running;
  }

  /** Only logs a database that cannot be reached if `schemaCheck` is `warn`. */
  #run(
    check: GateCheck,
    request: RequestFields | undefined,
  ): readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]> {
    const failed = (error: unknown): readonly SchemaFinding[] => {
      const explained = explainUnreadable(check, error);
      // Requests receive an error of the protocol; its cause appears only in the log.
      if (this.#mode !== "warn") throw isODataError(error) ? withCause(error, explained) : explained;
      this.#logger.warn(explained.message, { ...request, sets: check.sets, ...driverFields(error), err: error });
      return [];
    };
    return recover(() => {
      const findings = check.run();
      return isPromiseLike(findings) ? withinTime(findings, DEADLINE, lateCatalogue) : findings;
    }, failed);
  }

  #judge(findings: readonly SchemaFinding[], request: RequestFields | undefined): undefined {
    const isFault = ({ severity }: SchemaFinding): boolean => severity === "error" && this.#mode !== "warn";
    const faults = findings.filter(isFault);
    this.#findings = findings;
    for (const finding of findings) if (!isFault(finding)) this.#warn(finding, request);
    if (faults.length > 0) {
      throw new ConfigurationError(faults.map(toFault), { where: SCHEMA_FAULTS });
    }
    this.#isOpen = true;
    return undefined;
  }

  /** Logs a difference. Its `set` is the set of the declaration, not of the request. */
  #warn({ message, fix, ...fields }: SchemaFinding, request: RequestFields | undefined): void {
    this.#logger.warn(`${fields.set}: ${message} ${fix}`, { ...request, ...fields, fix });
  }

  /** Returns the error for requests, and logs it once for each check. */
  #refuse(error: unknown, request: RequestFields): unknown {
    // The database may be reachable for the next request.
    if (isODataError(error)) return error;
    if (this.#refused?.until !== undefined && performance.now() < this.#refused.until) return this.#refused.error;
    const answer = protocolError(
      "InternalServerError",
      "The declarations of the service do not match its database. The log contains the differences.",
    );
    const fields = { ...request, status: answer.status, ...driverFields(error), err: error };
    this.#logger.error("The schema check failed, so requests return 500.", fields);
    this.#refused = { error: answer, until: performance.now() + KEPT };
    return answer;
  }
}

function lateCatalogue(deadline: number): ODataError {
  const problem = `The database did not return its catalogue within ${String(deadline)} ms.`;
  return protocolError("ServiceUnavailable", "The database cannot be reached at the moment. Try again later.", {
    headers: { "Retry-After": "1" },
    cause: new Error(problem),
  });
}

/** Converts a difference to a fault of the configuration. */
function toFault({ severity: _severity, ...fault }: SchemaFinding): Omit<SchemaFinding, "severity"> {
  return fault;
}

/** Makes the error that names the database and the reason for the application. */
export function explainUnreadable({ sets }: Pick<DatabaseCheck, "sets">, error: unknown): Error {
  const reason: unknown = isODataError(error) ? (error.cause ?? error) : error;
  const text = reason instanceof Error ? reasonOf(reason) : String(reason);
  return new Error(
    `The schema check failed: the database of ${sets.join(", ")} cannot be read: ${text}. Check that the database runs and that the settings of the connection are right. To start the service without the check, set schemaCheck: "warn".`,
    { cause: reason },
  );
}

function withCause({ message, headers, mayLog }: ODataError, cause: Error): ODataError {
  return protocolError("ServiceUnavailable", message, { cause, headers, mayLog });
}

/** Returns the reason of a failed connection. Drivers join the errors of several addresses in one without a message. */
function reasonOf(error: Error): string {
  const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first.message || error.name;
}

/** The check of one database that requests wait for. */
type GateCheck = Pick<DatabaseCheck, "sets" | "run">;

/** Compares the sets of one database with its catalogue. */
export interface DatabaseCheck {
  readonly database: StoredDatabase;
  readonly sets: readonly string[];
  readonly run: () => readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]>;
  /** Compares them thoroughly. */
  readonly examine: (options: ExamineOptions) => readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]>;
}

/** Returns the checks of a service, one for each database of its sets. */
export function databaseChecks(service: ServiceDefinition): readonly DatabaseCheck[] {
  const stored = [...service.entitySets.values()].flatMap((set): readonly StoredSet[] => {
    const handlers: readonly unknown[] = Object.values(set.handlers);
    const rows = new Set(handlers.flatMap((handler) => (handler as StoredHandler | undefined)?.stored ?? []));
    return [...rows].map((each) => ({ set, rows: each }));
  });
  const byDatabase = new Map<StoredDatabase, readonly StoredSet[]>();
  for (const each of stored) {
    const { database } = each.rows;
    byDatabase.set(database, [...(byDatabase.get(database) ?? []), each]);
  }
  return Array.from(byDatabase, ([database, sets]) => ({
    database,
    sets: [...new Set(sets.map(({ set }) => set.entitySet.name))],
    run: () => database.findDifferences(sets, service),
    examine: (options) => database.examine(sets, service, options),
  }));
}

/**
 * Makes the function that checks each database of a tenant before its first use, for the sets of each function that finds it. A
 * database that is closed takes its checks with it.
 * @param serviceOf returns the service; called during requests
 */
export function tenantGates(mode: SchemaCheck, serviceOf: () => ServiceDefinition): AdmitTenant {
  if (mode === false) return () => undefined;
  const gates = new WeakMap<object, WeakMap<object, SchemaGate>>();
  return ({ id, database, home, sets, run }, { request: { id: requestId, method, url } }) => {
    const service = serviceOf();
    const ofDatabase = gates.get(database) ?? new WeakMap<object, SchemaGate>();
    gates.set(database, ofDatabase);
    const gate = ofDatabase.get(home) ?? new SchemaGate([{ sets: sets(), run }], mode, service.logger);
    ofDatabase.set(home, gate);
    if (gate.isOpen) return undefined;
    const fields = requestFields(service, { id: requestId, method, path: pathOf(url, service) });
    return gate.enter({ ...fields, tenant: id });
  };
}

/** Runs checks one after another, synchronously if all databases are synchronous. */
function runChecks(
  checks: readonly GateCheck[],
  run: (check: GateCheck) => readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]>,
): readonly SchemaFinding[] | PromiseLike<readonly SchemaFinding[]> {
  const [first, ...others] = checks;
  if (first === undefined) return [];
  return chain(run(first), (findings) => chain(runChecks(others, run), (rest) => [...findings, ...rest]));
}
