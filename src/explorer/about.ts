import { chain, type Maybe, recover } from "../base/maybe.ts";
import type { User } from "../definition/context.ts";
import type { EntitySetDefinition, ServiceDescription } from "../definition/model/service-definition.ts";
import { connectionPaths, titleOf } from "../definition/model/service-title.ts";
import type { RowEstimate, StoredDatabase, StoredHandler, StoredSet } from "../definition/model/stored-database.ts";
import type { SchemaFinding } from "../errors/schema-finding.ts";
import { judge } from "../execution/rules/judge-rules.ts";
import type { SignIn } from "./sign-in.ts";

/** The facts about a service and its user that the explorer shows, as `{prefix}/explorer/about.json` returns them. */
export interface ExplorerAbout {
  readonly title: string;
  readonly auth: SignIn["kind"] | "none";
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scope?: string | undefined;
  /** By entity set, without sets whose number of rows the user must not learn, or whose database does not know it. */
  readonly rows: Readonly<Record<string, RowEstimate>>;
  /** The findings of the schema check, for users who may read traces. */
  readonly warnings: readonly ExplorerWarning[];
  /** Whether the user may read the traces of own requests. */
  readonly traces: boolean;
  readonly serverTiming: boolean;
  /** The paths of the connection files below the root of the service. */
  readonly connectionFiles: { readonly excel: string; readonly powerBi: string } | null;
}

/** A finding of the schema check. */
interface ExplorerWarning extends Pick<SchemaFinding, "code" | "severity" | "message" | "fix"> {
  /** Such as `Orders.placedAt`. */
  readonly place: string;
}

/** Returns the facts for a user. @param traces whether the user may read traces */
export function aboutService(
  { definition, findings }: ServiceDescription,
  {
    signIn,
    user,
    traces,
  }: { readonly signIn: SignIn | undefined; readonly user: User | null; readonly traces: boolean },
): Maybe<ExplorerAbout> {
  const { kind: auth = "none", ...issuer } = signIn ?? {};
  const { connectionFiles, serverTiming } = definition;
  const files = connectionFiles === null ? null : connectionPaths(connectionFiles);
  const counted = [...definition.entitySets.values()].filter((set) => mayCount(set, user));
  return chain(rowsOf(counted), (rows) =>
    chain(traces ? findings() : [], (found) => ({
      title: titleOf(definition),
      auth,
      ...issuer,
      rows,
      warnings: found.map(({ code, severity, set, property, message, fix }) => {
        return { code, severity, place: property === undefined ? set : `${set}.${property}`, message, fix };
      }),
      traces,
      serverTiming,
      connectionFiles: files === null ? null : { excel: files.excel.slice(1), powerBi: files.powerBi.slice(1) },
    })),
  );
}

/** Whether a user sees all rows of a set, or would learn nothing by their number. */
function mayCount({ rows, authorization }: EntitySetDefinition, user: User | null): boolean {
  return rows === null && judge(authorization.read, user) === "passed";
}

/** Estimates the rows of sets over whole tables, with one look at each database. */
function rowsOf(sets: readonly EntitySetDefinition[]): Maybe<ExplorerAbout["rows"]> {
  const byDatabase = new Map<StoredDatabase, StoredSet[]>();
  for (const set of sets) {
    const rows = wholeTable(set);
    if (rows === undefined) continue;
    const others = byDatabase.get(rows.database);
    if (others === undefined) byDatabase.set(rows.database, [{ set, rows }]);
    else others.push({ set, rows });
  }
  const none = (): ReadonlyMap<string, RowEstimate> => new Map();
  const estimates = Array.from(byDatabase, async ([database, stored]) =>
    // The page works without numbers, such as while a database cannot be reached.
    recover(() => database.estimateRows(stored), none),
  );
  return chain(Promise.all(estimates), (all) => Object.fromEntries(all.flatMap((each) => [...each])));
}

/** Returns the rows of a set that shows all of a table: the application narrowed neither its list nor its keys. */
function wholeTable({ handlers }: EntitySetDefinition): StoredHandler["stored"] {
  const storedOf = (handler: unknown): StoredHandler["stored"] => (handler as StoredHandler | undefined)?.stored;
  return handlers.applyQuery === undefined && storedOf(handlers.getByKey) !== undefined
    ? storedOf(handlers.queryable)
    : undefined;
}
