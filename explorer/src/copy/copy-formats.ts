import type { CopiedQuery } from "./copied-query.ts";
import { copyAsCurl } from "./curl.ts";
import { copyAsFetch } from "./fetch.ts";
import { copyAsODataQuery } from "./odata-query.ts";
import { copyAsPowerQuery } from "./power-query.ts";
import { copyAsPowerShell } from "./powershell.ts";
import { copyAsUi5 } from "./ui5.ts";

/** A language that a query can be copied in. */
export interface CopyFormat {
  readonly label: string;
  readonly copy: (query: CopiedQuery) => string;
}

/** The languages of the menu "Copy as". */
export const COPY_FORMATS: readonly CopyFormat[] = Object.freeze([
  { label: "curl (bash)", copy: copyAsCurl },
  { label: "curl (PowerShell)", copy: copyAsPowerShell },
  { label: "fetch", copy: copyAsFetch },
  { label: "Power Query (Excel, Power BI)", copy: copyAsPowerQuery },
  { label: "UI5 binding", copy: copyAsUi5 },
  { label: "odata-query", copy: copyAsODataQuery },
]);
