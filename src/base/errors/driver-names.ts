import { withoutShard } from "./shard-names.ts";

/** The names in an error of a database driver, from its fields and its message. */
interface DriverNames {
  readonly table: string | undefined;
  /** In the order of the message. */
  readonly columns: readonly string[];
}

interface DriverError extends Error {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly errcode?: unknown;
  readonly table?: unknown;
  readonly column?: unknown;
  readonly detail?: unknown;
}

/**
 * The messages of SQLite, PostgreSQL and MariaDB with names of tables and columns. In `qualified` the table precedes the
 * column. In `columns` the qualifier may be an alias of the statement instead of a table.
 */
const MESSAGES: readonly RegExp[] = [
  /^(?:UNIQUE|NOT NULL) constraint failed: (?<qualified>.+)$/,
  /^cannot store \w+ value in \w+ column (?<qualified>.+)$/,
  /^no such table: (?<table>\S+)/,
  /^no such column: (?<columns>"[^"]+"|\S+)/,
  /^table (?<table>\S+) has no column named (?<columns>.+)$/,
  /^Key \((?<columns>.+?)\)=\(/,
  /^column (?<columns>.+) of relation "(?<table>[^"]+)" does not exist$/,
  /^column (?<columns>.+) does not exist$/,
  /^relation "(?<table>[^"]+)" does not exist$/,
  /^null value in column "(?<columns>[^"]+)" (?:of relation "(?<table>[^"]+)" )?violates not-null constraint/,
  /^permission denied for (?:table|relation|view) (?<table>\S+)$/,
  /^Column '(?<columns>[^']+)' cannot be null/,
  /^Field '(?<columns>[^']+)' doesn't have a default value/,
  /^(?!Duplicate entry ).*for column (?<qualified>(?:`[^`]+`\.)*[`'][^`']+[`']) at row \d+$/s,
  /^Data (?:too long|truncated) for column '(?<columns>[^']+)'/,
  /^Unknown column '(?<columns>[^']+)' in /,
  /^Table '(?<table>[^']+)' doesn't exist$/,
  /^\w+ command denied to user .* for table (?<table>\S+)$/,
  /^Cannot (?:add|delete) or update a \w+ row: .* fails \((?<table>`[^(]+`), CONSTRAINT .* FOREIGN KEY \((?<columns>[^)]+)\) REFERENCES/,
  /^Cannot (?:add|delete) or update a \w+ row: .* FOREIGN KEY \((?<columns>[^)]+)\) REFERENCES/,
  /^CONSTRAINT `[^`]+` failed for (?<table>.+)$/,
];

/** The codes of errors whose message is that of a trigger or procedure, and may repeat a text of a client. */
const OWN_MESSAGES: ReadonlySet<unknown> = new Set([1644, 1811, "SQLITE_CONSTRAINT_TRIGGER", "P0001"]);

const NOTHING: DriverNames = Object.freeze({ table: undefined, columns: [] });

/** Returns whether an error comes from the driver of a database: such errors have a code. */
export function isDriverError(error: unknown): error is Error {
  // Neither an aborted request nor an error for the client, which has a status, is a fault of the database.
  if (!(error instanceof Error) || error.name === "AbortError" || "status" in error) return false;
  const { code, errno, errcode } = error as DriverError;
  return typeof code === "string" || typeof errno === "number" || typeof errcode === "number";
}

/** Returns the table and columns in the fields of an error, and in the message of a driver's error. */
export function driverNames(error: Error): DriverNames {
  const { code, errno, errcode, table, column, detail, message } = error as DriverError;
  const isOfDatabase = isDriverError(error) && ![code, errno, errcode].some((each) => OWN_MESSAGES.has(each));
  const inText = isOfDatabase ? (namesIn(message) ?? namesIn(detail) ?? NOTHING) : NOTHING;
  const named = typeof table === "string" && table !== "" ? table : inText.table;
  return {
    table: named === undefined ? undefined : withoutShard(named, error),
    columns: typeof column === "string" && column !== "" ? [column] : inText.columns,
  };
}

function namesIn(text: unknown): DriverNames | null {
  if (typeof text !== "string") return null;
  for (const pattern of MESSAGES) {
    const named = pattern.exec(text)?.groups;
    if (named === undefined) continue;
    const { table, columns, qualified } = named;
    const listed = (qualified ?? columns)?.split(/,\s*/) ?? [];
    return { table: lastName(table ?? tableBefore(qualified)), columns: listed.map((name) => lastName(name) ?? name) };
  }
  return null;
}

/** Returns the table before the first column of a list; undefined if there is only the column. */
function tableBefore(columns: string | undefined): string | undefined {
  const [first = ""] = columns?.split(/,\s*/) ?? [];
  const end = first.lastIndexOf(".");
  return end < 0 ? undefined : first.slice(0, end);
}

/** Returns the last part of a name, without schema and quotes. */
function lastName(name: string | undefined): string | undefined {
  return name?.replace(/^.*\./, "").replaceAll(/["`']/g, "").trim();
}
