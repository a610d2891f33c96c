import type { CopiedQuery } from "../../../explorer/src/copy/copied-query.ts";

/** Makes a query whose characters mean something to shells and languages. */
export function hostileQuery(parts: Partial<CopiedQuery> = {}): CopiedQuery {
  return {
    root: "https://a.example/odata/",
    path: "Orders",
    options: new Map([
      ["$filter", "Name eq 'it''s $HOME !! `x` \"q\" \\ #(lf) & ü’'"],
      ["$top", "5"],
    ]),
    headers: {
      Accept: "application/json",
      "X-Note": "secret $(id)",
      Authorization: "Bearer abc",
    },
    ...parts,
  };
}

/** The URL of that query. */
export const HOSTILE_URL =
  "https://a.example/odata/Orders?$filter=Name%20eq%20'it''s%20$HOME%20!!%20%60x%60%20%22q%22%20%5C%20%23(lf)%20%26%20%C3%BC%E2%80%99'&$top=5";
