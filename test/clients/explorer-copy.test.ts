import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { COPY_FORMS } from "../../explorer/src/copy/copied-query.ts";
import { parseQueryOptions, splitTarget } from "../../src/language/syntax/query-options-parser.ts";
import { hostileQuery } from "../hosts/explorer/copied-queries.ts";

/** The clients are installed before these tests alone. */
const PACKAGE: string = "odata-query";
const { default: buildQuery }: { readonly default: unknown } = await import(PACKAGE);

/** Runs a snippet, and returns the URL that it requests. */
async function requested(code: string): Promise<string> {
  let target = "";
  const fetch = async (url: string): Promise<Response> => {
    target = new URL(url).href;
    return Response.json({});
  };
  const body = code.replace('import buildQuery from "odata-query";', "");
  await runInNewContext(`(async () => { ${body} })()`, { buildQuery, fetch, Error });
  return target;
}

test.for([
  [
    [
      ["$filter", "Name eq 'it''s $HOME & 100% #1 + ü'"],
      ["$top", "5"],
      ["$skip", "0"],
      ["$count", "true"],
    ],
    true,
  ],
  [
    [
      ["$orderby", "Customer/Name desc,Id"],
      ["$select", "Id,Customer/Name"],
      ["$search", '"a & b" OR c'],
    ],
    true,
  ],
  [[["$expand", "Items"]], true],
  [
    [
      [
        "$expand",
        "Customer($select=Name,Code),Items($filter=Order/Total gt 5 and Name eq 'a;b';$orderby=No desc;$top=5;$count=true;$expand=Product($levels=2))",
      ],
    ],
    true,
  ],
  [
    [
      [
        "$apply",
        "filter(Total gt 5)/groupby((Color,Customer/Name),aggregate(Total with sum as TotalSum,$count as Count))",
      ],
    ],
    false,
  ],
  [[["$apply", "groupby((Color))"]], false],
  [[["$apply", "aggregate($count as Count)"]], false],
  [
    [
      ["$format", "json"],
      ["$top", "5"],
      ["sap-client", "100"],
      ["@p", "5"],
    ],
    true,
  ],
  [[["$apply", "groupby((Color),aggregate($count as Count))/topcount(5,Count)"]], false],
  [[["$expand", "Items/$ref"]], true],
  [[["$expand", "Count($top=1)"]], true],
  [[["$expand", "Items($select=Address/City)"]], true],
  [[["$expand", "*($levels=2)"]], true],
  [
    [
      ["$compute", "Total mul 2 as Twice"],
      ["$count", "false"],
    ],
    false,
  ],
  [[], false],
] as const)("requests the same with %j", async ([pairs, callsPackage]) => {
  const query = hostileQuery({ options: new Map(pairs), headers: {} });
  const code = COPY_FORMS["odata-query"](query);
  expect(code.includes("buildQuery(")).toBe(callsPackage);
  const { path, query: text } = splitTarget(await requested(code));
  const { system, custom, aliases } = parseQueryOptions(text);
  expect(path).toBe("/odata/Orders");
  const all = [...system, ...aliases, ...Array.from(custom, ([name, [value]]) => [name, value])];
  expect(Object.fromEntries(all)).toEqual(Object.fromEntries(pairs));
});
