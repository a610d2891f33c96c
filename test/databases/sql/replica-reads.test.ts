import { expect, test } from "vitest";
import { endOfRecord } from "../../../src/databases/replicas/positions.ts";
import { replicaFault } from "../../../src/databases/replicas/replica-fault.ts";
import { ReplicaReads, type ReplicatedRows } from "../../../src/databases/replicas/replica-reads.ts";
import { Reading } from "../../../src/language/query/reading.ts";
import { tokenSeal } from "../../../src/payload/token-seal.ts";
import { laterPositions, readPositions, writePositions } from "../../../src/service/position-reports.ts";

/** Which server reads a statement, by the state that a replica reports. */

/** A server whose state the test sets. */
class FakeServer implements ReplicatedRows {
  cluster = "7001";
  isStandby = true;
  offset: bigint | null = 100n;
  started = "1";
  error: Error | null = null;
  asked = 0;
  /** Called before each statement of a request. */
  before: () => void = () => undefined;
  #changed: () => void = () => undefined;

  guard(): undefined {
    return undefined;
  }

  watchConnections(changed: () => void): boolean {
    this.#changed = changed;
    return true;
  }

  /** The connections of the service are lost, and others are made. */
  reconnect(): void {
    this.#changed();
  }

  async eachOnce(): Promise<readonly [readonly [readonly unknown[]]]> {
    this.asked += 1;
    await Promise.resolve();
    if (this.error !== null) throw this.error;
    return [
      [[this.cluster, this.isStandby ? "1" : "0", this.offset === null ? null : String(this.offset), this.started]],
    ];
  }
}

const warnings: string[] = [];

function placesOf({ wait = 30 } = {}) {
  const primary = new FakeServer();
  const replica = new FakeServer();
  const replicas = new ReplicaReads<FakeServer>(primary, replica, wait);
  warnings.splice(0);
  const read = async (offset?: bigint, cluster: string = "7001"): Promise<string> => {
    const reading = new Reading(new Set([replicas]), {
      signal: new AbortController().signal,
      warn: (message) => void warnings.push(message),
    });
    if (offset !== undefined) reading.required = new Map([[cluster, offset]]);
    return replicas.read({ reading }, (rows) => {
      rows.before();
      if (rows.error !== null) return Promise.reject(rows.error);
      return Promise.resolve(rows === replica ? "replica" : "primary");
    });
  };
  return { primary, replica, replicas, read };
}

test.each<
  [name: string, change: Partial<FakeServer>, wanted: bigint | undefined, place: string, warning: readonly string[]]
>([
  ["a replica without a position", {}, undefined, "replica", []],
  ["a replica that shows the position", {}, 100n, "replica", []],
  ["a replica that does not", {}, 101n, "primary", []],
  [
    "a promoted server",
    { isStandby: false, offset: null },
    undefined,
    "primary",
    ["`readFrom` is no replica, or it was promoted: reads use the primary until it is one."],
  ],
  [
    "a standby without replay",
    { offset: null },
    1n,
    "primary",
    ["`readFrom` is no replica, or it was promoted: reads use the primary until it is one."],
  ],
  [
    "a replica of another cluster",
    { cluster: "7002" },
    undefined,
    "primary",
    ["`readFrom` is a replica of another cluster than `db`: reads use the primary."],
  ],
  [
    "a replica that cannot be reached",
    { error: new Error("Connection terminated") },
    undefined,
    "primary",
    ["The replica cannot be reached: reads use the primary until it can."],
  ],
])("%s", async (_name, change, wanted, place, warning) => {
  const { replica, read } = placesOf();
  Object.assign(replica, change);
  expect(await read(wanted)).toBe(place);
  expect(await read(wanted)).toBe(place);
  expect(warnings).toEqual(warning);
});

test("a position of another cluster does not matter", async () => {
  const { read } = placesOf();
  expect(await read(5000n, "7009")).toBe("replica");
});

test("a replica serves reads while its primary is away", async () => {
  const { primary, read } = placesOf();
  primary.error = new Error("Connection terminated");
  expect(await read()).toBe("replica");
});

test("the last known state answers until a connection changes", async () => {
  const { replica, read } = placesOf();
  await read(100n);
  await read(100n);
  expect(replica.asked).toBe(1);
  replica.reconnect();
  expect(await read(100n)).toBe("replica");
  expect(replica.asked).toBe(2);
  // The server was started again, and shows an earlier state.
  replica.reconnect();
  replica.offset = 90n;
  replica.started = "2";
  expect(await read(100n)).toBe("primary");
});

test("a server that is started again under a request does not serve it", async () => {
  const { replica, read } = placesOf();
  await read(100n);
  replica.before = () => {
    replica.started = "2";
    replica.offset = 90n;
    replica.reconnect();
  };
  expect(await read(100n)).toBe("primary");
});

test("several servers behind one address serve no read after a write", async () => {
  const { replica, read } = placesOf();
  for (const [started, place] of [
    ["1", "replica"],
    ["2", "replica"],
    ["1", "primary"],
    ["2", "primary"],
  ] as const) {
    replica.started = started;
    replica.reconnect();
    expect(await read(100n)).toBe(place);
  }
  expect(await read()).toBe("replica");
  expect(warnings).toEqual([
    "Several servers answer as `readFrom`: reads after a write use the primary. Give the address of a single replica.",
  ]);
});

test("all statements of a request read one place", async () => {
  const { replica, replicas } = placesOf({ wait: 0 });
  const reading = new Reading(new Set([replicas]), { signal: new AbortController().signal, warn: () => undefined });
  const read = (): Promise<string> =>
    replicas.read({ reading }, (rows) => Promise.resolve(rows === replica ? "replica" : "primary"));
  // Without a wait, the first request does not know the state yet.
  expect(await read()).toBe("primary");
  await expect.poll(() => replica.asked).toBe(1);
  expect(await read()).toBe("primary");
});

test("a source whose replica no set of the service has is an error", async () => {
  const { replicas } = placesOf();
  const message =
    "A sqlSource has a `readFrom` that no set of the service has, so writes could not tell its readers their position. Give a sqlEntitySet of the service the same `db`, `readFrom` and `replicaWait`, or remove `readFrom`.";
  const request = { signal: new AbortController().signal, warn: () => undefined };
  for (const reading of [null, new Reading(new Set(), request)]) {
    await expect(replicas.read({ reading }, () => Promise.resolve("read"))).rejects.toThrow(new Error(message));
  }
  // A context of the application reads the primary.
  expect(await replicas.read({}, (rows) => Promise.resolve(rows === replicas.replica))).toBe(false);
});

test.each<[what: string, error: Error, fault: "unreachable" | "refused" | null]>([
  ["a refused connection", coded("ECONNREFUSED"), "unreachable"],
  ["a name without an address", coded("ENOTFOUND"), "unreachable"],
  ["a server that stops", coded("57P01"), "unreachable"],
  ["a login that is not allowed", coded("28000"), "unreachable"],
  ["a database that is not there yet", coded("3D000"), "unreachable"],
  ["too many connections", coded("53300"), "unreachable"],
  ["a cause", new Error("failed", { cause: coded("08006") }), "unreachable"],
  ["several addresses", new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")], "failed"), "unreachable"],
  ["a conflict with replay", coded("40001"), "refused"],
  ["a table that is not there yet", coded("42P01"), "refused"],
  ["a function that writes", coded("25006"), "refused"],
  ["a prepared statement that is lost", coded("26000"), "refused"],
  ["a statement that is too slow", coded("57014"), null],
  ["a division by zero", coded("22012"), null],
  ["a statement that is too complex", coded("54001"), null],
  ["an error of the application", new Error("no"), null],
])("%s of a replica", (_what, error, fault) => {
  expect(replicaFault(error)).toBe(fault);
});

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

const PAGE = 8192n;
const SEGMENT = 16_777_216n;

test.each([
  ["within a page", 3n * PAGE + 1000n, 3n * PAGE + 1000n],
  ["behind the header of a page", 3n * PAGE + 24n, 3n * PAGE],
  ["behind the header of a segment", 2n * SEGMENT + 40n, 2n * SEGMENT],
  ["a record that ends 40 bytes behind the start of a page", 3n * PAGE + 40n, 3n * PAGE + 40n],
  [
    "a record that ends 24 bytes behind the start of a segment, which cannot be",
    2n * SEGMENT + 24n,
    2n * SEGMENT + 24n,
  ],
])("the end of the last record: %s", (_name, inserted, expected) => {
  expect(endOfRecord(inserted, PAGE, SEGMENT)).toBe(expected);
});

test("a token contains positions, and only the same secret opens it", () => {
  const seal = tokenSeal("a secret of the tests of positions");
  const positions = new Map([
    ["7001", 123n],
    ["7002", 18_446_744_073_709_551_615n],
  ]);
  const token = writePositions(positions, seal);
  expect(token).toMatch(/^[\w-]+$/);
  expect(readPositions(token, seal)).toEqual(positions);
  expect(readPositions(writePositions("unknown", seal), seal)).toBe("unknown");
  expect(readPositions(token, tokenSeal("another secret of the tests"))).toBeNull();
  expect(readPositions(seal.seal("[]", "another kind of token"), seal)).toBeNull();
});

test("the later of two positions counts, in each cluster", () => {
  const first = new Map([
    ["7001", 5n],
    ["7002", 5n],
  ]);
  const second = new Map([
    ["7002", 6n],
    ["7003", 1n],
  ]);
  const later = new Map([
    ["7001", 5n],
    ["7002", 6n],
    ["7003", 1n],
  ]);
  expect(laterPositions(first, second)).toEqual(later);
  expect(laterPositions(second, first)).toEqual(later);
  expect(laterPositions(first, "unknown")).toBe("unknown");
});
