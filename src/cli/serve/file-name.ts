import { basename } from "node:path";
import type { OpenedDatabase } from "../open-database.ts";

/** Returns the name of a database for files: that of its file or folder, or the last part of its URL. */
export function fileNameOf({ file, shown }: Pick<OpenedDatabase, "file" | "shown">): string {
  const path = file ?? (URL.canParse(shown) ? new URL(shown).pathname : shown);
  const name = basename(path.replaceAll("\\", "/")).replace(/\.(?:db3?|sqlite3?)$/i, "");
  const plain = name
    .replaceAll(/[^\w.-]+/g, "_")
    .replace(/^\.+/, "")
    .slice(0, 100);
  return plain === "" ? "service" : plain;
}
