import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Makes the file `shop.db` of a project from its `seed.sql`. */
export async function makeDatabase(project: string): Promise<void> {
  const { DatabaseSync } = await importQuietly();
  const database = new DatabaseSync(join(project, "shop.db"));
  try {
    database.exec(readFileSync(join(project, "seed.sql"), "utf8"));
  } finally {
    database.close();
  }
}

/** Imports `node:sqlite`. Node.js 22 warns that it is experimental, which no user of this command has chosen. */
async function importQuietly(): Promise<typeof import("node:sqlite")> {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning");
  try {
    process.emitWarning = () => {};
    return await import("node:sqlite");
  } finally {
    if (own !== undefined) Object.defineProperty(process, "emitWarning", own);
  }
}
