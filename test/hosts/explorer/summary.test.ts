import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { beforeAll, describe, expect, test } from "vitest";
import { itemsIn, memberOf } from "../../../explorer/src/client/json-members.ts";
import { type Model, readMetadata } from "../../../explorer/src/model/model.ts";
import { conditionsOf, filterOf } from "../../../explorer/src/query/filter-tree.ts";
import { limitsOf, withLimits } from "../../../explorer/src/query/limits.ts";
import { resolvePath } from "../../../explorer/src/query/resolve-type.ts";
import { columnsOf, type Row } from "../../../explorer/src/screens/grid/columns.ts";
import { readSummary, summarySteps, summedColumn, withConditions } from "../../../explorer/src/screens/grid/summary.ts";
import { parseFragment, resourceUrl, type View } from "../../../explorer/src/state/view.ts";
import { parseXml } from "./parse-xml.ts";

const Item = entityType("Item", { id: edm.int32().key(), price: edm.decimal({ precision: 9, scale: 2 }).nullable() });
const items = Array.from({ length: 200 }, (_, id) => ({ id, price: id % 20 === 0 ? null : `${(id * 7) % 100}.50` }));
const service = odataService({
  prefix: "/s",
  profile: "standard",
  entitySets: [entitySet(Item, { queryable: () => arraySource(Item, items), getByKey: (id) => items[id] ?? null })],
});

let model: Model;

async function read(path: string): Promise<unknown> {
  const headers = { Accept: "application/json;IEEE754Compatible=true" };
  const response = await service.fetch(new Request(`http://h/s/${path}`, { headers }));
  const body: unknown = await response.json();
  if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

beforeAll(async () => {
  const response = await service.fetch(new Request("http://h/s/$metadata", { headers: { Accept: "application/xml" } }));
  model = readMetadata(await response.text(), parseXml);
});

async function summaryOf(view: View) {
  const place = resolvePath(model, view.path);
  const column = place && columnsOf(place, view, []).find(({ name }) => name === "Price");
  const summed = place && column ? summedColumn(place, column) : null;
  if (summed === null) throw new Error("The column has no summary.");
  return readSummary(summed, async (parallel) => {
    const steps = parallel.length === 1 ? parallel : [`concat(${parallel.join(",")})`];
    const options = new Map([["$apply", [...summarySteps(view.options), ...steps].join("/")]]);
    return itemsIn(await read(resourceUrl({ path: view.path, options })), "value") as readonly Row[];
  });
}

describe("the summary of a column", () => {
  test.each([
    "#/grid/Items",
    "#/grid/Items?$filter=Price ge 20 and Price lt 60.5",
    "#/grid/Items?$filter=Price ne 30.5 and Id gt 50",
    "#/grid/Items?$filter=Twice gt 60&$compute=Price mul 2 as Twice",
    "#/grid/Items?$apply=filter(Price gt 20)/groupby((Price))",
  ])("of %s leads from each number to so many rows", async (fragment) => {
    const view = parseFragment(fragment);
    const { ranges, values } = await summaryOf(view);
    expect(ranges.length).toBeGreaterThan(1);
    const { filter } = limitsOf(view.options);
    for (const { conditions, count } of [...ranges, ...values]) {
      const next = filterOf(withConditions(conditionsOf(filter), conditions));
      const options = withLimits(new Map([...view.options].filter(([name]) => name !== "$apply")), { filter: next });
      const body = await read(resourceUrl({ path: "Items", options: new Map([...options, ["$count", "true"]]) }));
      expect([next, Number(memberOf(body, "@odata.count"))]).toEqual([next, count]);
    }
  });

  test("is that of the first rows where the query has no others", async () => {
    const { rows, least, greatest } = await summaryOf(parseFragment("#/grid/Items?$orderby=Id&$skip=1&$top=2"));
    expect([rows, least, greatest]).toEqual([2, "7.50", "14.50"]);
  });

  test("a condition that was chosen twice is there once", () => {
    const all = conditionsOf("Price eq 7.50 and Id gt 5");
    const [first] = all;
    expect(first?.kind).toBe("condition");
    const picked = all.flatMap((each) => (each.kind === "condition" ? [each] : []));
    expect(withConditions(all, picked)).toEqual(all);
  });
});
