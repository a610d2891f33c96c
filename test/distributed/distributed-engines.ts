import { sql } from "kysely";
import { vi } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseEngine, type OpenDatabase } from "../executors/engines.ts";
import { connectionsOf } from "../kysely/sent-statements.ts";
import { refusedConstructs } from "./refused-constructs.ts";
import { flatten, isWord, parseStatement } from "./statement-tree.ts";
import type { Placements } from "./table-placement.ts";

const distributed = new WeakSet<AnyDatabase>();

/** Whether the sets of a database are declared as `distributed`. */
export function isDistributed(db: AnyDatabase): boolean {
  return distributed.has(db);
}

/** PostgreSQL as if it were spread over machines: closing it fails if it got a statement that Citus refuses. */
export const DISTRIBUTED: readonly DatabaseEngine[] = ENGINES.filter(({ name }) => name === "postgres").map(
  (engine) => ({ ...engine, title: `${engine.title}, as if spread over machines`, open: watching(engine) }),
);

/**
 * Returns the function that opens a database whose sets are distributed. Other databases than PostgreSQL are not spread.
 * @param placements how the sets declare their tables; by default, they do not
 */
export function watching(
  { name, open }: Pick<DatabaseEngine, "name" | "open">,
  placements?: Placements,
): DatabaseEngine["open"] {
  return name === "postgres" ? async () => watched(await open(), placements) : open;
}

async function watched({ db, close }: OpenDatabase, placements?: Placements): Promise<OpenDatabase> {
  distributed.add(db);
  const connections = await connectionsOf(db);
  const statements = vi.spyOn(connections, "executeQuery");
  return {
    db,
    close: async () => {
      // Each machine has the catalogue.
      const texts = new Set(
        statements.mock.calls.map(([query]) => query.sql).filter((text) => !text.includes("pg_class")),
      );
      statements.mockRestore();
      const faults = [...texts].flatMap((text) =>
        refusedConstructs(text, placements).map((fault) => `${fault}: ${text}`),
      );
      for (const text of texts) faults.push(...(await changingCells(db, text)));
      await close();
      if (faults.length === 0) return;
      throw new Error(`Citus refuses ${String(faults.length)} statements.\n${faults.join("\n")}`);
    },
  };
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
