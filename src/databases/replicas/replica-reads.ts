import { queryTimeout } from "../../base/errors/odata-error.ts";
import { pause } from "../../base/host.ts";
import type { Position, Reading, PositionedDatabase, ServerRole, ServerRun } from "../../language/query/reading.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { Patience } from "../connection/patient-reader.ts";
import {
  CLUSTER_READ,
  POSITION_READ,
  type PositionRead,
  type Replay,
  REPLAY_READ,
  toCluster,
  toPosition,
  toReplay,
} from "./positions.ts";
import { type ReplicaFault, replicaFault } from "./replica-fault.ts";

/** Runs the statements of a primary, or of its replica. */
export interface ReplicatedRows {
  /** Calls a function whenever a connection is opened or closed. @returns false if the driver does not report it */
  watchConnections(changed: () => void): boolean;
  /** Returns the rows of several statements, without a repetition. */
  eachOnce(reads: readonly PositionRead[], patience: Patience): Promise<readonly (readonly Row[])[]>;
}

/** Milliseconds for the statements that read positions. */
const ASK_TIME = 5000;

/** Milliseconds after which reads look again at the state of a replica: whether it was promoted. */
const CHECKED = 5000;

/** Milliseconds after which reads try a replica again that could not be used. */
const RETRIED = 1000;

/** Why reads use the primary although there is a replica. */
type Reason = "unreachable" | "promoted" | "foreign" | "ambiguous";

const MESSAGES: Readonly<Record<Reason, string>> = {
  unreachable: "The replica cannot be reached: reads use the primary until it can.",
  promoted: "`readFrom` is no replica, or it was promoted: reads use the primary until it is one.",
  foreign: "`readFrom` is a replica of another cluster than `db`: reads use the primary.",
  ambiguous:
    "Several servers answer as `readFrom`: reads after a write use the primary. Give the address of a single replica.",
};

/** One of the servers of a database. */
interface DatabaseServerRows<Rows> {
  readonly role: ServerRole;
  readonly rows: Rows;
}

/** Decides which statements a replica runs in place of its primary. */
export class ReplicaReads<Rows extends ReplicatedRows> implements PositionedDatabase {
  readonly replica: Rows;
  readonly #primary: Rows;
  /** The milliseconds for which a request waits for a position. */
  readonly #wait: number;
  readonly #watch: ReplayWatch;
  #cluster: string | undefined;
  #isWatching = false;
  #changes = 0;
  #reported: Reason | null = null;

  constructor(primary: Rows, replica: Rows, wait: number) {
    this.#primary = primary;
    this.replica = replica;
    this.#wait = wait;
    this.#watch = new ReplayWatch(this.#ask);
  }

  get servers(): readonly DatabaseServerRows<Rows>[] {
    return [
      { role: "primary", rows: this.#primary },
      { role: "replica", rows: this.replica },
    ];
  }

  async position(): Promise<Position> {
    const position = toPosition(await first(this.#primary, POSITION_READ));
    this.#cluster = position.cluster;
    return position;
  }

  /**
   * Runs a read where its request reads. If the replica fails, it runs on the primary, in the rest of its time.
   * @throws errors of the read; the reason of the signal; ODataError `QueryTimeout`
   */
  async read<T>(patience: Patience, run: (rows: Rows, patience: Patience) => Promise<T>): Promise<T> {
    const { reading, signal } = patience;
    const begun = performance.now();
    if (reading === undefined) return run(this.#primary, restOf(patience, begun));
    if (reading === null || !reading.knows(this)) throw unknownReplica();
    const place = reading.serverFor(this, () => this.#decide(reading, patience));
    const replica = place === null ? null : await place;
    if (replica === null) return run(this.#primary, restOf(patience, begun));
    try {
      const result = await run(this.replica, restOf(patience, begun));
      if (!reading.isRequiring || (await this.#isSameRun(replica))) return result;
    } catch (error) {
      const fault = signal?.aborted === true ? null : replicaFault(error);
      if (fault === null) throw error;
      this.#leave(reading, fault, error);
    }
    reading.leave(this);
    return run(this.#primary, restOf(patience, begun));
  }

  #leave(reading: Reading, fault: ReplicaFault, err: unknown): void {
    if (fault === "unreachable") {
      this.#watch.fail(err);
      this.#report(reading, "unreachable", err);
    } else {
      reading.request.warn("The replica refused a statement, so the primary ran it.", { err });
    }
  }

  /** Whether the server certainly did not start again since a request has found that it shows its position. */
  async #isSameRun({ started, changes }: ServerRun): Promise<boolean> {
    return changes === this.#changes || toReplay(await first(this.replica, REPLAY_READ)).started === started;
  }

  /** Returns the run of the replica that a request reads, or null. Waits for the positions that it must show. */
  async #decide(reading: Reading, { timeout }: Patience): Promise<ServerRun | null> {
    const watch = this.#watch;
    const changes = this.#changes;
    const { required, request } = reading;
    // The primary needs the rest of the time.
    const time = Math.min(this.#wait, (timeout ?? Infinity) / 2);
    if (required === "unknown") return null;
    if (watch.last === null && watch.error === undefined && time > 0) {
      const first = await watch.wait(() => true, time, request.signal);
      if (first === null && watch.error === undefined) watch.fail(lateState(time));
    }
    const { last } = watch;
    const reason = last === null ? "unreachable" : this.#reasonAgainst(last);
    watch.refresh(reason === null ? CHECKED : RETRIED);
    if (last === null || reason !== null) {
      // Without an error, no read has waited for the first state.
      if (last !== null || watch.error !== undefined) this.#report(reading, reason ?? "unreachable", watch.error);
      return null;
    }
    if (!watch.isAmbiguous) this.#reported = null;
    const wanted = required.get(last.cluster);
    const shows = wanted === undefined || watch.shows(wanted) || (await this.#waitFor(wanted, time, reading));
    return shows ? { started: watch.last?.started ?? "", changes } : null;
  }

  /** Waits until the replica shows a position. @returns false if that takes longer */
  async #waitFor(wanted: bigint, time: number, reading: Reading): Promise<boolean> {
    const watch = this.#watch;
    const isReached = (replay: Replay): boolean =>
      this.#reasonAgainst(replay) !== null || (replay.offset !== null && replay.offset >= wanted);
    const reached = watch.isAmbiguous || time <= 0 ? null : await watch.wait(isReached, time, reading.request.signal);
    if (watch.isAmbiguous) {
      this.#report(reading, "ambiguous", undefined);
      return false;
    }
    if (reached !== null) return this.#reasonAgainst(reached) === null;
    if (watch.error !== undefined) this.#report(reading, "unreachable", watch.error);
    return false;
  }

  #reasonAgainst({ isStandby, offset, cluster }: Replay): Reason | null {
    if (!isStandby || offset === null) return "promoted";
    return this.#cluster === undefined || this.#cluster === cluster ? null : "foreign";
  }

  /** Logs why the primary is read, once for each change. */
  #report({ request }: Reading, reason: Reason, err: unknown): void {
    if (this.#reported === reason) return;
    this.#reported = reason;
    request.warn(MESSAGES[reason], err === undefined ? {} : { err });
  }

  readonly #ask: AskReplay = async () => {
    const { replica } = this;
    await this.#identify();
    this.#isWatching ||= replica.watchConnections(() => {
      this.#changes += 1;
      this.#watch.forget();
    });
    const changes = this.#changes;
    const replay = toReplay(await first(replica, REPLAY_READ));
    return { replay, isStable: this.#isWatching && changes === this.#changes };
  };

  /** Finds the cluster of the primary. If the primary cannot be reached now, the next reading tries again. */
  async #identify(): Promise<void> {
    if (this.#cluster !== undefined) return;
    try {
      this.#cluster = toCluster(await first(this.#primary, CLUSTER_READ));
    } catch {
      // The replica may serve reads while the primary is away.
    }
  }
}

async function first(rows: ReplicatedRows, read: PositionRead): Promise<Row | undefined> {
  const [found = []] = await rows.eachOnce([read], { timeout: ASK_TIME });
  return found[0];
}

/** Returns the patience that remains. @throws ODataError `QueryTimeout` without any */
function restOf({ signal, timeout, bytes }: Patience, begun: number): Patience {
  if (timeout === undefined || timeout === null) return { signal, timeout, bytes };
  const left = Math.ceil(timeout - (performance.now() - begun));
  if (left <= 0) throw queryTimeout(timeout);
  return { signal, timeout: left, bytes };
}

function lateState(time: number): Error {
  return new Error(`The replica did not tell its state within ${String(time)} ms.`);
}

function unknownReplica(): Error {
  return new Error(
    "A sqlSource has a `readFrom` that no set of the service has, so writes could not tell its readers their position. Give a sqlEntitySet of the service the same `db`, `readFrom` and `replicaWait`, or remove `readFrom`.",
  );
}

/** Milliseconds between two readings of the state while requests wait for it. */
const INTERVAL = 10;

/** A request that waits for a state. */
interface Waiter {
  readonly isReached: (replay: Replay) => boolean;
  /** @param replay null: the replica cannot be reached */
  readonly settle: (replay: Replay | null) => void;
}

/** Reads the state of a replica, and whether its connections stayed the same meanwhile, so that the state counts for them. */
type AskReplay = () => Promise<{ readonly replay: Replay; readonly isStable: boolean }>;

/**
 * Follows how far a replica has replayed the changes of its primary. All requests that wait share one statement at a time,
 * and none of them holds a connection.
 */
class ReplayWatch {
  readonly #ask: AskReplay;
  readonly #waiters = new Set<Waiter>();
  /** The runs of the server so far. */
  readonly #runs = new Set<string>();
  #last: Replay | null = null;
  #error: unknown;
  /** Whether the last state counts for every connection. */
  #isStable = false;
  #isAmbiguous = false;
  #askedAt = -Infinity;
  #asking: Promise<void> | null = null;
  #isFollowing = false;

  constructor(ask: AskReplay) {
    this.#ask = ask;
  }

  /** The last known state; null before the first, and while the replica cannot be reached. */
  get last(): Replay | null {
    return this.#last;
  }

  /** The error of the last attempt; undefined if it succeeded. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether several servers have responded in turn, whose positions cannot be compared. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous;
  }

  /** Whether the last known state shows a position, so that no query is needed. */
  shows(offset: bigint): boolean {
    return this.#isStable && this.#last?.offset !== null && this.#last !== null && this.#last.offset >= offset;
  }

  /** The connections have changed: they may lead to a server that was started again, with an earlier state. */
  forget(): void {
    this.#isStable = false;
  }

  /** The replica cannot be reached. */
  fail(error: unknown): void {
    this.#last = null;
    this.#isStable = false;
    this.#error = error;
    this.#askedAt = performance.now();
  }

  /** Reads the state if the last attempt is older. No request waits for it. @param age in milliseconds */
  refresh(age: number): void {
    if (this.#asking === null && performance.now() - this.#askedAt >= age) void this.#read();
  }

  /**
   * Waits for a state.
   * @param time in milliseconds
   * @returns null if the time is over, or the replica cannot be reached
   * @throws the reason of the signal
   */
  wait(isReached: Waiter["isReached"], time: number, signal: AbortSignal): Promise<Replay | null> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        this.#waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
      };
      const settle: Waiter["settle"] = (replay) => {
        finish();
        resolve(replay);
      };
      const leave = (): void => {
        finish();
        reject(signal.reason as Error);
      };
      const waiter: Waiter = { isReached, settle };
      const timer = setTimeout(() => settle(null), time);
      signal.addEventListener("abort", leave, { once: true });
      this.#waiters.add(waiter);
      if (!this.#isFollowing) void this.#follow();
    });
  }

  /** Reads the state again and again while a request waits. */
  async #follow(): Promise<void> {
    this.#isFollowing = true;
    // A state that is being read may be older than the requests, but never shows too much.
    for (;;) {
      await (this.#asking ?? this.#read());
      if (this.#waiters.size === 0) break;
      await pause(INTERVAL);
    }
    this.#isFollowing = false;
  }

  #read(): Promise<void> {
    this.#askedAt = performance.now();
    const asking = this.#readNow().finally(() => {
      this.#asking = null;
    });
    this.#asking = asking;
    return asking;
  }

  /** Never throws. */
  async #readNow(): Promise<void> {
    try {
      const { replay, isStable } = await this.#ask();
      this.#note(replay, isStable);
    } catch (error) {
      this.fail(error);
    }
    const last = this.#last;
    for (const { isReached, settle } of this.#waiters) if (last === null || isReached(last)) settle(last);
  }

  #note(replay: Replay, isStable: boolean): void {
    const isOtherRun = this.#last !== null && this.#last.started !== replay.started;
    // A server that was started again does not return to its earlier run.
    if (isOtherRun && this.#runs.has(replay.started)) this.#isAmbiguous = true;
    this.#runs.add(replay.started);
    this.#last = replay;
    this.#isStable = isStable && !this.#isAmbiguous;
    this.#error = undefined;
  }
}
