import process from "node:process";
import { sql, type CompiledQuery, type DatabaseConnection } from "kysely";
import type { AnyDatabase, DatabaseEngine, OpenDatabase } from "../../engine/executors/open-database.ts";
import { COORDINATOR_SETTINGS } from "../../hostile-settings.ts";
import { connectionsOf, hearStatements } from "../sql/sent-statements.ts";
import { refusedConstructs } from "./refused-constructs.ts";
import { sameForEveryRow } from "./same-for-every-row.ts";
import { flatten, isWord, parseStatement } from "./statement-tree.ts";
import type { Placements } from "./table-placement.ts";

const distributed = new WeakSet<AnyDatabase>();

/** Whether the sets of a database are declared as `distributed`. */
export function isDistributed(db: AnyDatabase): boolean {
  return distributed.has(db);
}

/**
 * Returns the function that opens a database whose sets are distributed. Other databases than PostgreSQL are not spread.
 * @param placements how the sets declare their tables; by default, they do not
 */
export function watching(
  { name, open }: Pick<DatabaseEngine, "name" | "open">,
  placements?: Placements,
): DatabaseEngine["open"] {
  return name === "postgres" ? async (log) => watched(await open(log, COORDINATOR_SETTINGS), placements) : open;
}

/** Each machine has the catalogue. */
const CATALOGUE = /\bpg_(?:class|attribute|catalog)\b/;

/** The service quotes the names of tables. */
const BY_HAND = /^\s*(?:insert into|update|delete from|merge into) \w/;

/**
 * Constructs that have no other form. If Citus refuses one, the response is 400 with the part of the query that needs it, or
 * 501 for a write.
 */
const RESPONDED: ReadonlySet<string> = new Set([
  "a subquery within a correlated one without a table",
  "a change of the column that distributes a table",
]);

async function watched({ db, close }: OpenDatabase, placements?: Placements): Promise<OpenDatabase> {
  distributed.add(db);
  const { sent, stop } = observe(await connectionsOf(db));
  return {
    db,
    close: async () => {
      stop();
      const statements = [...sent.values()].filter(({ sql: text }) => !CATALOGUE.test(text) && !BY_HAND.test(text));
      const checked = [...new Set(statements.map(({ sql: text }) => text))];
      const faults = checked.flatMap((text) => {
        const refused = refusedConstructs(text, placements).filter((fault) => !RESPONDED.has(fault));
        return refused.map((fault) => `${fault}: ${text}`);
      });
      for (const text of checked) faults.push(...(await changingCells(db, text)), ...(await spreadLocks(db, text)));
      // A cluster refuses such statements itself.
      if (process.env["ODATAKIT_CITUS"] === undefined) faults.push(...(await sameForEveryRow(db, statements)));
      await close();
      if (faults.length === 0) return;
      throw new Error(`Citus refuses ${String(faults.length)} statements.\n${faults.join("\n")}`);
    },
  };
}

interface Observed {
  /** The statements, each with the values of one execution for each choice of values that are null or Boolean. */
  readonly sent: ReadonlyMap<string, CompiledQuery>;
  readonly stop: () => void;
}

/** Collects the statements of connections. */
function observe(connections: DatabaseConnection): Observed {
  const sent = new Map<string, CompiledQuery>();
  const stop = hearStatements(connections, (query) => {
    const pattern = query.parameters.map((value) => (value === null || typeof value === "boolean" ? value : "value"));
    sent.set(JSON.stringify([query.sql, pattern]), query);
  });
  return { sent, stop };
}

const WRITE = /^(?:insert into|update|delete from) ((?:"[^"]+"\.)?"(?:[^"]|"")+")[\s\S]* returning ([\s\S]*)$/;

/** Finds the returned expressions that depend on the session: the database refuses an index on them. */
async function changingCells(db: AnyDatabase, text: string): Promise<readonly string[]> {
  const [, table, returned] = WRITE.exec(text) ?? [];
  if (table === undefined || returned === undefined) return [];
  const faults: string[] = [];
  for (const cell of splitCells(returned)) {
    const expression = cell.replace(/ as "c\d+"$/, "").replaceAll(/\$\d+/g, "null");
    const names = flatten(parseStatement(expression));
    if (names.every((node) => !isWord(node) && node.kind !== "name")) continue;
    try {
      await sql.raw(`create index on ${table} ((${expression}))`).execute(db);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      // Other errors are about indexes, such as those of types without an order.
      if (code === "42P17") faults.push(`${expression} in returning: ${text}`);
    }
  }
  return faults;
}

const LOCK = / from ((?:"[^"]+"\.)?"(?:[^"]|"")+") where ([\s\S]*) for (?:no key )?update$/;

/** Finds locks of rows that are not found by their key, by whose first column tables are distributed. */
async function spreadLocks(db: AnyDatabase, text: string): Promise<readonly string[]> {
  const [, table, condition = ""] = LOCK.exec(text) ?? [];
  if (table === undefined) return [];
  const { rows } = await sql<{ readonly name: string }>`select a.attname as name from pg_index i join pg_attribute a
    on a.attrelid = i.indrelid and a.attnum = i.indkey[0] where i.indisprimary and i.indrelid = to_regclass(${table})`.execute(
    db,
  );
  const [column] = rows;
  if (column === undefined || condition.includes(`"${column.name}"`)) return [];
  return [`a lock of rows of several shards: ${text}`];
}

function splitCells(list: string): readonly string[] {
  const cells = [""];
  let depth = 0;
  for (const [piece] of list.matchAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[\s\S]/g)) {
    if (piece === "(" || piece === "[") depth += 1;
    if (piece === ")" || piece === "]") depth -= 1;
    if (piece === "," && depth === 0) cells.push("");
    else cells.push(`${cells.pop() ?? ""}${piece}`);
  }
  return cells.map((cell) => cell.trim());
}
