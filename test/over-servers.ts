import path from "node:path";
import { filesBelow } from "./house/source-files.ts";

/** Names in modules whose tests differ when servers run. */
const ASKS = /\bENGINES\b|ODATAKIT_POSTGRES|ODATAKIT_MYSQL/;
/** Modules that declare the engines for all others, or take the first of them, which is SQLite. */
const SILENT: ReadonlySet<string> = new Set(["test/engine/executors/engines.ts", "test/service/http/sql-database.ts"]);
const IMPORT = /from "(\.[^"]+)"/g;

/** Returns the test files that run over servers of databases, themselves or by a module of the tests that they import. */
export function filesOverServers(): readonly string[] {
  const texts = new Map(filesBelow("test", ".ts").map(({ path: name, text }) => [name, text]));
  const known = new Map<string, boolean>();
  const asks = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    // A circle asks no more than its other modules.
    known.set(name, false);
    const text = texts.get(name) ?? "";
    const isAsking =
      !SILENT.has(name) &&
      (ASKS.test(text) ||
        Array.from(text.matchAll(IMPORT), ([, target = ""]) => path.posix.join(path.posix.dirname(name), target)).some(
          asks,
        ));
    known.set(name, isAsking);
    return isAsking;
  };
  return [...texts.keys()].filter((name) => name.endsWith(".test.ts") && asks(name));
}
