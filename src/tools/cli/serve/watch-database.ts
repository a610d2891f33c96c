import process from "node:process";
import { sql } from "kysely";
import type { ODataService, ReloadableService } from "odatakit";
import { messageOf } from "../../../base/message-of.ts";
import type { Invocation } from "../command.ts";
import { databaseOf } from "../databases/find.ts";
import { isNotLoaded, type LoadedDatabase, servableDatabase } from "../load-database.ts";
import { fileIdOf, type OpenedDatabase } from "../open-database.ts";
import type { FailedStatements } from "./failed-statements.ts";

/** The parts of a watch, which follows changes of the schema. */
interface WatchSettings {
  /** Returns the fingerprint of the schema. */
  readonly look: () => Promise<string>;
  /** The fingerprint of the schema that is served. */
  readonly served: string;
  /** The failures on whose cause a look decides. */
  readonly failed: FailedStatements;
  /** Milliseconds between two looks; null for none without a reason. */
  readonly interval: number | null;
  readonly signal: AbortSignal;
  /** Serves the new schema. @throws the reason why the old service stays */
  readonly reload: () => Promise<void>;
  readonly report: (line: string) => void;
}

/** A watch over the schema of a database. */
export interface SchemaWatch {
  /** Checks the schema at once: a statement failed. */
  readonly look: () => void;
  /** Reloads at once, also the same schema: the user requested it. */
  readonly reload: () => void;
  /** Reloads at once although the schema is the same: a row has a value that the sample of its table had not. */
  readonly reloadRows: () => void;
  /** Resolves when the signal has ended the watch. */
  readonly ended: Promise<void>;
}

/** Milliseconds between two reloads because of rows. */
const ROWS_INTERVAL = 5000;

/** Why the next look happens before its time. */
interface Wishes {
  isWanted: boolean;
  /** Whether the service reloads although the schema is the same. */
  reloads: boolean;
  /** Whether rows do not fit the served types. */
  hasOtherRows: boolean;
}

/** Checks the schema in intervals. If a new schema cannot be served, the old service continues. */
export function watchDatabase(settings: WatchSettings): SchemaWatch {
  const { interval, signal } = settings;
  const wishes: Wishes = { isWanted: false, reloads: false, hasOtherRows: false };
  let wake: () => void = () => undefined;
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = interval === null ? undefined : setTimeout(() => wake(), interval);
      wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      // A wish during the last look is not lost.
      if (wishes.isWanted || signal.aborted) wake();
    });
  const want = (wish: Partial<Wishes>) => (): void => {
    Object.assign(wishes, wish, { isWanted: true });
    wake();
  };
  return {
    look: want({}),
    reload: want({ reloads: true }),
    reloadRows: want({ hasOtherRows: true }),
    ended: watch(settings, wishes, next),
  };
}

async function watch(
  { look, served, failed, interval, signal, reload, report }: WatchSettings,
  wishes: Wishes,
  next: () => Promise<void>,
): Promise<void> {
  let known = served;
  let reloaded = -ROWS_INTERVAL;
  let problem = "";
  if (interval === null) await next();
  while (!signal.aborted) {
    wishes.isWanted = false;
    try {
      const end = failed.beginLook();
      const found = await look();
      const isOther = known !== found;
      end(!isOther);
      const isWished = wishes.reloads;
      // A table may keep rows that no sample finds, so such reloads are rare.
      const hasOtherRows = wishes.hasOtherRows && performance.now() - reloaded > ROWS_INTERVAL;
      if (isOther || isWished || hasOtherRows) {
        Object.assign(wishes, { reloads: false, hasOtherRows: false });
        reloaded = performance.now();
        await reload();
        report(followed(isOther, isWished));
      }
      // After a failure the next look tries again.
      known = found;
      problem = "";
    } catch (error) {
      const message = messageOf(error);
      if (message !== problem) report(`The schema of the database cannot be served, so the service stays: ${message}`);
      problem = message;
    }
    await next();
  }
}

function followed(isOther: boolean, isWished: boolean): string {
  if (!isOther && isWished) return "The service has read the schema of the database again.";
  return `The ${isOther ? "schema" : "kind of values"} of the database has changed. The service follows it.`;
}

/** Returns a text that changes with the tables, columns and constraints of a database. */
export async function fingerprint({ db, kind, file }: Pick<OpenedDatabase, "db" | "file" | "kind">): Promise<string> {
  // The open connection reads the old file after another one has taken its name.
  const id = file === null ? null : fileIdOf(file);
  const { rows } = await sql.raw(databaseOf(kind).schema).execute(db);
  const isSpread = rows.some(
    (row) => typeof row === "object" && row !== null && "spread" in row && row.spread === true,
  );
  return JSON.stringify([id, rows, ...(isSpread ? [(await DISTRIBUTION.execute(db)).rows] : [])]);
}

/** How Citus stores its tables. */
const DISTRIBUTION = sql`select md5(string_agg(concat_ws(',', p.logicalrelid::oid, p.partmethod, p.partkey, p.colocationid), ';'
  order by p.logicalrelid::oid)) as text from pg_dist_partition p`;

/** The database that a service uses now: a replaced file becomes another one. */
export interface CurrentDatabase {
  loaded: LoadedDatabase;
}

/** The database to follow, and the service over it. */
interface Following {
  readonly current: CurrentDatabase;
  readonly service: ReloadableService;
  /** Makes the service over the sets of the database. */
  readonly make: (sets: LoadedDatabase["found"]["entitySets"]) => ODataService;
  /** The fingerprint of the served schema; empty if it was not requested. */
  readonly served: string;
  readonly failed: FailedStatements;
  /** Milliseconds between two looks; null to look only at SIGHUP. */
  readonly interval: number | null;
}

/** Follows changes of a database until the signal of the invocation: of its schema, and of a file that is replaced. */
export function followDatabase(
  { terminal, signal }: Pick<Invocation, "signal" | "terminal">,
  { current, service, make, served, failed, interval }: Following,
): SchemaWatch {
  const reload = async (): Promise<void> => {
    const { opened, reopen, readAgain } = current.loaded;
    if (opened.file === null || fileIdOf(opened.file) === opened.fileId) {
      const next = await servableDatabase({ found: await readAgain(), readAgain }, make);
      await service.replace(next.service);
      return;
    }
    const next = await reopen();
    if (isNotLoaded(next)) throw new Error(next.map(({ message, fix }) => `${message} ${fix}`).join(" "));
    try {
      const served = await servableDatabase(next, make);
      await service.replace(served.service, { close: () => opened.close() });
      current.loaded = next;
    } catch (error) {
      await next.opened.close();
      throw error;
    }
  };
  const look = async (): Promise<string> => fingerprint(current.loaded.opened);
  const watch = watchDatabase({ look, served, failed, interval, signal, reload, report: terminal.report });
  process.on("SIGHUP", watch.reload);
  signal.addEventListener("abort", () => process.off("SIGHUP", watch.reload), { once: true });
  if (interval !== null) current.loaded.opened.listen?.(watch.reload, signal);
  return watch;
}
