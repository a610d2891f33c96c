import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
const LENGTH = 10_000;

function open() {
  const rows = Array.from({ length: LENGTH }, (_, index) => ({
    id: LENGTH - index,
    name: `Item ${String(index % 10)}`,
  }));
  const set = entitySet(Item, { name: "Items", queryable: () => arraySource(Item, rows) });
  const service = odataService({ entitySets: [set], defaults: { maxTop: null, queryTimeout: null } });
  return { rows, read: (query: string) => service.fetch(new Request(`http://x/Items?${encodeURI(query)}`)) };
}

/** Never true, and slow: some milliseconds for each hundred items. */
const SLOW = Array.from({ length: 150 }, (_, index) => `contains(tolower(Name),'x${String(index)}')`).join(" or ");

describe("a filter over a long list", () => {
  test("lets other requests take turns", async () => {
    const { read } = open();
    await read(`$filter=${SLOW}&$top=1`);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const response = await read(`$filter=${SLOW} or Id eq 7&$count=true`);
    clearInterval(timer);
    expect(await response.json()).toMatchObject({ "@odata.count": 1, value: [{ Id: 7, Name: "Item 3" }] });
    expect(turns).toBeGreaterThan(1);
  });

  test("reads the items that the list had at its first pause", async () => {
    const { rows, read } = open();
    const reading = read(`$filter=${SLOW} or Id le 3`);
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    rows.length = 0;
    expect(await (await reading).json()).toMatchObject({ value: [{ Id: 1 }, { Id: 2 }, { Id: 3 }] });
  });

  test.each([
    ["$filter=Id gt 5&$top=2", [6, 7]],
    ["$filter=Id gt 5&$top=2&$orderby=Id desc", [LENGTH, LENGTH - 1]],
    ["$filter=endswith(Name,'9')&$top=2&$skip=1&$orderby=Name,Id", [11, 21]],
    ["$filter=Id eq 0", []],
    ["$filter=Id gt 5&$top=0&$count=true", []],
  ])("%s returns the same as over a short one", async (query, ids) => {
    const { read } = open();
    const { value } = (await (await read(query)).json()) as { value: { Id: number }[] };
    expect(value.map(({ Id }) => Id)).toEqual(ids);
  });

  test("reports an error of an item", async () => {
    const { rows, read } = open();
    Object.assign(rows[LENGTH - 1] ?? {}, { name: 5 });
    expect((await read(`$filter=${SLOW}`)).status).toBe(500);
  });
});
