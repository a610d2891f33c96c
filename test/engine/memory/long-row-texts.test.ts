import { edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";

/** Functions of long texts in lists in memory: the work of one entity cannot pause, so the length of the texts counts. */

const Item = entityType("Item", { id: edm.int32().key(), body: edm.string() });
const LENGTH = 1_000_000;
const rows = Array.from({ length: 30 }, (_, id) => ({ id, body: "b".repeat(LENGTH) }));
/** Characters that two code units write are counted one by one. */
const wide = Array.from({ length: 30 }, (_, id) => ({ id, body: "😀".repeat(LENGTH / 5) }));
const service = odataService({
  entitySets: [
    entitySet(Item, { name: "Items", getAll: () => rows, applyEnabled: true, computeEnabled: true }),
    entitySet(Item, { name: "Wides", getAll: () => wide }),
  ],
  defaults: { queryTimeout: null },
  logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
});

async function get(query: string, set = "Items"): Promise<unknown> {
  const response = await service.fetch(new Request(`http://x/${set}?${query}`));
  return [response.status, await response.json()];
}

const REFUSED = [
  400,
  {
    error: {
      code: "InvalidQueryOption",
      message:
        "The functions of the query read more than 20000000 characters of one entity: call fewer functions of long texts.",
    },
  },
];

const many = (count: number, make: (index: string) => string, separator = " or "): string =>
  Array.from({ length: count }, (_, index) => make(String(index))).join(separator);

const CALLS: ReadonlyArray<(index: string) => string> = [
  (index) => `substring(Body,${index}) eq 'x'`,
  (index) => `substring(Body,${index},3) eq 'x'`,
  (index) => `contains(Body,'x${index}')`,
  (index) => `startswith(Body,'x${index}')`,
  (index) => `endswith(Body,'x${index}')`,
  (index) => `contains('x${index}',Body)`,
  (index) => `indexof(Body,'x${index}') eq 1`,
  (index) => `length(Body) eq ${index}`,
  (index) => `trim(Body) eq 'x${index}'`,
  (index) => `tolower(Body) eq 'x${index}'`,
  (index) => `toupper(Body) eq 'x${index}'`,
  (index) => `cast(Body,Edm.Int32) eq ${index}`,
];

test.each(CALLS)("%s: twenty of one text are few enough, twenty-one are not", async (call) => {
  const context = "http://x/$metadata#Items(Id)";
  expect(await get(`$filter=${many(20, call)}&$select=Id`)).toEqual([200, { "@odata.context": context, value: [] }]);
  expect(await get(`$filter=${many(21, call)}&$select=Id`)).toEqual(REFUSED);
});

const lengthOf = (index: string): string => `length(substring(Body,${index}))`;

test.each([
  `$orderby=${many(3, () => many(10, lengthOf, " add "), ",")}&$select=Id`,
  `$compute=${many(30, (index) => `${lengthOf(index)} as K${index}`, ",")}&$select=${many(30, (index) => `K${index}`, ",")}`,
  `$apply=filter(${many(30, (index) => `${lengthOf(index)} eq 1`)})/aggregate($count as N)`,
  `$filter=Id eq 1 and (${many(30, (index) => `${lengthOf(index)} eq 1`)})`,
])("the texts of all clauses that are evaluated for one entity count together: %s", async (query) => {
  expect(await get(query)).toEqual(REFUSED);
});

test("entities count alone, and other requests continue between them", async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const query = `$filter=${many(15, (index) => `substring(Body,199${index}) eq 'x'`)}&$select=Id`;
  expect(await get(query, "Wides")).toEqual([200, { "@odata.context": "http://x/$metadata#Wides(Id)", value: [] }]);
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(3);
});
