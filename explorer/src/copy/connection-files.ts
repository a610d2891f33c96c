import { writeOdc, writePbids } from "../../../src/payload/connection-files.ts";
import { type CopiedQuery, serviceRoot } from "./copied-query.ts";

/** Writes a connection of Excel to the service, for services that do not offer the file themselves. */
export function copyAsOdc({ root }: CopiedQuery, title: string): string {
  return writeOdc(serviceRoot(root), title);
}

/** Writes a data source file of Power BI, for services that do not offer the file themselves. */
export function copyAsPbids({ root }: CopiedQuery): string {
  return writePbids(serviceRoot(root));
}
