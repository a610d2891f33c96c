import { protocolError } from "../base/errors/odata-error.ts";
import { withSignalOf } from "../base/later.ts";
import { chain, type Maybe, recover } from "../base/maybe.ts";
import { required } from "../base/required.ts";
import { ruleContextOf } from "../definition/context.ts";
import { type PlacedRequest, requestFields } from "../definition/model/request-fields.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import { databasesOf } from "../definition/sets/transactional-database.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { type Positions, Reading, type PositionedDatabase, type Position } from "../language/query/reading.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import type { TokenSeal } from "../payload/token-seal.ts";
import type { Execution } from "./endpoints/execution.ts";

/** The header with the position after a write, which reads return. */
const POSITION = "X-OData-Position";

/** The effect of a request. */
export type RequestKind = "read" | "write" | "batch";

/**
 * The positions of a service whose databases tell them, because reads may go to a replica: requests state the positions that their reads must show, and
 * responses report the positions after their writes.
 * @see docs/guides/replicas.md
 */
export class PositionReports {
  readonly #definition: ServiceDefinition;
  readonly #databases: ReadonlySet<PositionedDatabase>;
  readonly #seal: TokenSeal;

  private constructor(definition: ServiceDefinition, databases: ReadonlySet<PositionedDatabase>, seal: TokenSeal) {
    this.#definition = definition;
    this.#databases = databases;
    this.#seal = seal;
  }

  /** Makes the positions of a service; null if no database tells any. */
  static of(definition: ServiceDefinition, seal: TokenSeal | null): PositionReports | null {
    const positioned = databasesOf(definition.entitySets.values()).flatMap((each) => each.positioned ?? []);
    if (positioned.length === 0) return null;
    return new PositionReports(
      definition,
      new Set(positioned),
      required(seal, "A service with positions has a secret."),
    );
  }

  /** Makes the places that a request reads. */
  readingFor(odata: Pick<ODataRequest, "method" | "signal" | "target">, id: string): Reading {
    const warn: Reading["request"]["warn"] = (message, fields) =>
      this.#log("warn", message, { id, method: odata.method, target: odata.target }, fields);
    return new Reading(this.#databases, withSignalOf({ warn }, odata));
  }

  /**
   * Passes a request to its endpoint, with the positions that it states, and finds the position that its response reports.
   * @throws ODataError `InvalidParameter` for a header of another service; errors of the endpoint
   */
  around(execution: Execution, kind: RequestKind, run: () => Maybe<ODataResponse>): Maybe<ODataResponse> {
    const reading = readingOf(execution);
    const { batch } = execution.arrival;
    reading.reported = null;
    if (kind === "write") reading.pin();
    // The operations of a batch read as the batch states.
    const stated = batch === undefined ? this.#require(execution, kind) : undefined;
    // The writes of a change set count from the end of its transaction on.
    if (kind === "batch" || (batch?.transactionPart ?? null) !== null) return chain(stated, run);
    const fail = (error: unknown): Maybe<never> =>
      chain(this.report(execution), () => {
        throw error;
      });
    const finish = (response: ODataResponse): Maybe<ODataResponse> =>
      chain(this.report(execution, kind === "write" && response.status < 400), () => response);
    return chain(
      recover(() => chain(stated, run), fail),
      (answered) => chain(answered, finish),
    );
  }

  /**
   * Finds the position after the writes of a request, for its response and for the store. Never throws.
   * @param mayHaveWritten whether handlers of the application may have written any database
   */
  report(execution: Execution, mayHaveWritten: boolean = false): Maybe<void> {
    const reading = readingOf(execution);
    const written = reading.takeWritten();
    const databases = mayHaveWritten ? this.#databases : written;
    if (databases.size > 0) return this.#reportOf([...databases], execution);
  }

  async #reportOf(databases: readonly PositionedDatabase[], execution: Execution): Promise<void> {
    const reading = readingOf(execution);
    let found: Positions;
    try {
      found = toPositions(await Promise.all(databases.map((each) => each.position())));
    } catch (err) {
      found = "unknown";
      reading.request.warn("The position after a write cannot be read: reads that need it use the primary.", { err });
    }
    const merged = laterPositions(reading.required, found);
    reading.required = merged;
    reading.reported = writePositions(merged, this.#seal);
    await this.#store(merged, execution);
  }

  /** Stores the position of a session, unless a later one is there. Nothing comes between if the store is synchronous. */
  #store(merged: Positions, execution: Execution): Maybe<void> {
    const { positions: store } = this.#definition;
    if (store === undefined) return;
    return chain(this.#readStore(execution), (stored) =>
      recover(
        () => {
          // An unknown position ends with the next known one.
          const token = writePositions(stored === "unknown" ? merged : laterPositions(stored, merged), this.#seal);
          readingOf(execution).reported = token;
          return store.write(ruleContextOf(execution.context), token);
        },
        (err) => {
          this.#fail(
            "`write` of `positions` failed: the next reads of the session may not show the write.",
            execution,
            err,
          );
        },
      ),
    );
  }

  /** Reads the positions that the client and its session state. */
  #require(execution: Execution, kind: RequestKind): Maybe<void> {
    const reading = readingOf(execution);
    const header = execution.arrival.odata.header(POSITION.toLowerCase());
    if (header !== undefined) {
      const sent = readPositions(header, this.#seal);
      if (sent === null) throw foreignPosition();
      reading.required = sent;
    }
    // A write reads the primary.
    if (kind === "write" || this.#definition.positions === undefined) return;
    return chain(this.#readStore(execution), (stored) => {
      reading.required = laterPositions(reading.required, stored);
    });
  }

  /** Returns the positions of the session of a request. Without them, only the primary certainly shows its writes. */
  #readStore(execution: Execution): Maybe<Positions> {
    const { positions: store } = this.#definition;
    return recover(
      () =>
        chain(store?.read(ruleContextOf(execution.context)), (token): Positions => {
          if (token === undefined || token === null || token === "") return new Map();
          return readPositions(token, this.#seal) ?? "unknown";
        }),
      (err): Positions => {
        this.#fail("`read` of `positions` failed: the request reads the primary.", execution, err);
        return "unknown";
      },
    );
  }

  #fail(message: string, { arrival: { requestId: id, odata } }: Execution, err: unknown): void {
    const { method, target } = odata;
    this.#log("error", message, { id, method, target }, { err });
  }

  #log(
    level: "warn" | "error",
    message: string,
    { id, method, target }: Pick<PlacedRequest, "id" | "method"> & { readonly target: string },
    fields: Readonly<Record<string, unknown>>,
  ): void {
    try {
      const { path } = splitTarget(target);
      const place = requestFields(this.#definition, { id, method, path });
      this.#definition.logger[level](message, { ...place, ...fields });
    } catch {
      // A logger that throws leaves nowhere to report to.
    }
  }
}

/** Adds the position that a request has reported to its responses, once. */
export function withPosition(reading: Reading | null, response: ODataResponse): ODataResponse {
  const add = positionAdder(reading);
  return add(response);
}

/** Returns the function that adds the position that a request has reported, which counts as added from now on. */
export function positionAdder(reading: Reading | null): (response: ODataResponse) => ODataResponse {
  const reported = reading?.reported ?? null;
  if (reading === null || reported === null) return (response) => response;
  reading.reported = null;
  return (response) => ({ ...response, headers: { ...response.headers, [POSITION]: reported } });
}

function readingOf({ arrival: { reading } }: Execution): Reading {
  return required(reading, "A request to a service with positions has no reading.");
}

function foreignPosition(): Error {
  return protocolError(
    "InvalidParameter",
    `${POSITION} is not a position of this service: return the header of the last response to a write unchanged, or omit it.`,
    { target: POSITION },
  );
}

/** No token of another kind has this context. */
const CONTEXT = "X-OData-Position";

/** The text of a token whose readers must read the primary. */
const UNKNOWN = "unknown";

/** Writes positions as a token, which only a service with the same secret can read and make. */
export function writePositions(positions: Positions, seal: TokenSeal): string {
  const text =
    positions === UNKNOWN
      ? UNKNOWN
      : JSON.stringify(Array.from(positions, ([cluster, offset]) => [cluster, String(offset)]));
  return seal.seal(text, CONTEXT);
}

/** Reads a token. @returns null unless a service with the same secret made it */
export function readPositions(token: string, seal: TokenSeal): Positions | null {
  const text = seal.open(token, CONTEXT);
  if (text === null || text === UNKNOWN) return text;
  const entries = JSON.parse(text) as ReadonlyArray<readonly [string, string]>;
  return new Map(entries.map(([cluster, offset]) => [cluster, BigInt(offset)]));
}

/** Returns the later of two positions in each cluster. */
export function laterPositions(first: Positions, second: Positions): Positions {
  if (first === UNKNOWN || second === UNKNOWN) return UNKNOWN;
  if (first.size === 0) return second;
  const later = new Map(first);
  for (const [cluster, offset] of second) {
    const known = later.get(cluster);
    if (known === undefined || known < offset) later.set(cluster, offset);
  }
  return later;
}

/** Returns positions as a list. */
function toPositions(list: readonly Position[]): Positions {
  return list
    .map(({ cluster, offset }): Positions => new Map([[cluster, offset]]))
    .reduce(laterPositions, new Map<string, bigint>());
}
