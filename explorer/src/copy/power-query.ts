import { type CopiedQuery, copiedUrl, readsText } from "./copied-query.ts";

/**
 * Writes a query in the formula language of Power Query, for Excel and Power BI. They ask for the credentials themselves.
 * @see https://learn.microsoft.com/powerquery-m/odata-feed
 */
export function copyAsPowerQuery(query: CopiedQuery): string {
  const url = quoteForM(copiedUrl(query));
  const source = readsText(query)
    ? `Text.FromBinary(Web.Contents(${url}))`
    : `OData.Feed(${url}, null, [Implementation = "2.0"])`;
  return `let\n  Source = ${source}\nin\n  Source\n`;
}

/** @see https://learn.microsoft.com/powerquery-m/m-spec-lexical-structure#text-literals */
function quoteForM(text: string): string {
  return `"${text.replaceAll("#(", "#(#)(").replaceAll('"', '""')}"`;
}
