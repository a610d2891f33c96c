import type { Kysely } from "kysely";
import type { CodeOptions, DescribedWarning } from "odatakit/introspect";
import type { DatabaseSettings } from "../database-options.ts";
import type { Problem } from "../problem.ts";
import type { Target } from "../target.ts";

/** The target of one kind of database. */
export type TargetOf<Kind extends Target["kind"]> = Extract<Target, { readonly kind: Kind }>;

/** How the commands use one kind of database. */
export interface CommandDatabase<T extends Target = Target> {
  /** Returns a target for a message or a banner, without passwords. */
  readonly shown: (target: T) => string;
  /** Returns the path of the file; null without one. */
  readonly fileOf: (target: T, folder: string) => string | null;
  /** Returns why a target cannot be opened; undefined if it may be. */
  readonly check: (target: T, folder: string) => Problem | undefined;
  readonly open: (target: T, settings: DatabaseSettings) => Promise<Kysely<object>>;
  /** Calls a function at each change of the schema that the database tells, until the signal; absent: it tells none. */
  readonly listen?: (target: T, onNotify: () => void, signal: AbortSignal) => Promise<void>;
  /** Returns how written modules open the database. @param within returns a path as they name it */
  readonly code: (target: T, within: (path: string) => string) => CodeOptions["database"];
  /** The variables of the environment, beside `DATABASE_URL`, that such modules read. */
  readonly variables: (target: T) => Readonly<Record<string, string>>;
  /** The packages that such modules import, beside those of every kind. */
  readonly packages: readonly string[];
  /** The statement of a row that changes with the tables, columns and constraints. */
  readonly schema: string;
  /** Makes a statement return its plan. */
  readonly explain: string;
  /** Returns a line of the plan. */
  readonly planLine: (row: Readonly<Record<string, unknown>>) => string;
  /** Whether the kinds of values in a column may change without its type. */
  readonly mixesValues: boolean;
  /** Whether the database proves keys of views. */
  readonly provesKeys: boolean;
  /** Finds rights of the user that row-level security does not bind. */
  readonly userWarnings: (db: Kysely<object>) => Promise<readonly DescribedWarning[]>;
}

/** The parts of a database that is a server, or has no file. */
export const WITHOUT_FILE: Pick<CommandDatabase, "check" | "fileOf" | "mixesValues" | "variables"> = Object.freeze({
  fileOf: () => null,
  check: () => undefined,
  variables: () => ({}),
  mixesValues: false,
});

/** The plan of a server: the cells of a row. */
export const SERVER_PLAN: Pick<CommandDatabase, "explain" | "planLine"> = Object.freeze({
  explain: "explain",
  planLine: (row: Readonly<Record<string, unknown>>) => Object.values(row).map(String).join("  "),
});

/** No warnings about a user. */
export const NO_WARNINGS: CommandDatabase["userWarnings"] = async () => Promise.resolve([]);
