import { edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { describe, expect, test } from "vitest";

const Part = entityType("Part", { id: edm.int32().key(), itemId: edm.int32(), name: edm.string() });
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

const ITEMS = 1500;
const items = Array.from({ length: ITEMS }, (_none, index) => ({ id: index, name: `Item ${String(index % 7)}` }));
const parts = items.flatMap(({ id }) =>
  [0, 1, 2].map((index) => ({ id: id * 3 + index, itemId: id, name: `Part ${String(index)}` })),
);
const partsOf = (id: number): typeof parts => parts.slice(id * 3, id * 3 + 3);

const NAVIGATIONS = {
  "by a join": hasMany(Part, { on: { id: "itemId" }, target: "Parts" }),
  "by a handler for each key": hasMany(Part, { target: "Parts", get: (id) => partsOf(Number(id)) }),
  "by a handler for all keys": hasMany(Part, {
    target: "Parts",
    getBatch: (ids) => new Map(ids.map((id) => [id, partsOf(Number(id))])),
  }),
  "by a handler that returns promises": hasMany(Part, { target: "Parts", get: async (id) => partsOf(Number(id)) }),
};

type Way = keyof typeof NAVIGATIONS;

/** Never true, and slow: each evaluation takes microseconds. */
const slow = (name: string): string =>
  Array.from({ length: 60 }, (_none, index) => `contains(tolower(${name}),'x${String(index)}')`).join(" or ");

interface Read {
  readonly body: { readonly value: readonly Record<string, unknown>[]; readonly "@odata.count"?: number };
  /** The number of turns that other work had meanwhile. */
  readonly turns: number;
}

function open(way: Way, seesAll: boolean) {
  const service = odataService({
    defaults: { maxTop: null, maxExpandTop: null },
    authenticate: () => ({ id: "ann" }),
    entitySets: [
      entitySet(Item, {
        name: "Items",
        ...(seesAll ? {} : { authorization: { rows: (_user, row) => row.id.lt(ITEMS / 2) } }),
        getAll: () => items,
        navigation: { parts: NAVIGATIONS[way] },
      }),
      entitySet(Part, { name: "Parts", getAll: () => parts }),
    ],
  });
  return async (query: string): Promise<Read> => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const response = await service.fetch(new Request(`http://x/Items?${encodeURI(query)}`));
    clearInterval(timer);
    return { body: (await response.json()) as Read["body"], turns };
  };
}

const WAYS = Object.keys(NAVIGATIONS) as Way[];

describe.each(WAYS.filter((way) => way !== "by a join"))("many related entities, read %s", (way) => {
  test("are expanded in turns", async () => {
    const { body, turns } = await open(
      way,
      true,
    )(`$expand=Parts($filter=${slow("Name")} or Id mod 3 eq 1;$count=true)`);
    expect(body.value).toHaveLength(ITEMS);
    for (const [id, item] of body.value.entries()) {
      expect(item["Parts"]).toEqual([{ Id: id * 3 + 1, ItemId: id, Name: "Part 1" }]);
      expect(item["Parts@odata.count"]).toBe(1);
    }
    expect(turns).toBeGreaterThan(0);
  });
});

describe.each(WAYS)("many related entities, read %s", (way) => {
  test("are filtered in turns", async () => {
    const filter = `Parts/any(p:${slow("p/Name")} or p/Id eq 100)`;
    const { body, turns } = await open(way, true)(`$filter=${filter}&$count=true`);
    expect(body).toMatchObject({ "@odata.count": 1, value: [{ Id: 33 }] });
    expect(turns).toBeGreaterThan(0);
  });
});

test("many related entities are counted among the rows that the user sees", async () => {
  const { body } = await open("by a join", false)("$orderby=Parts/$count desc,Name,Id desc&$top=2&$count=true");
  const last = ITEMS / 2 - 1;
  const first = last - (last % 7);
  expect(body).toMatchObject({ "@odata.count": ITEMS / 2, value: [{ Id: first }, { Id: first - 7 }] });
});
