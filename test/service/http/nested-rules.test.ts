import { authenticated, edm, entitySet, entityType, hasMany, odataService, resource, role } from "odatakit";
import { expect, test } from "vitest";
import { noFailures } from "./model.ts";

const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), note: edm.string().nullable() });
const Order = entityType("Order", { id: edm.int32().key() });

const service = (authorization: object): ReturnType<typeof odataService> =>
  odataService({
    logger: noFailures,
    authenticate: () => ({ id: "ann", roles: [] }),
    entitySets: [
      entitySet(Order, {
        allowDeepInsert: true,
        create: ({ id }) => ({ id }),
        navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
      }),
      entitySet(Line, { getAll: () => [], getByKey: () => null, authorization }),
    ],
  });

/** Creates an order with many lines. */
async function post(to: ReturnType<typeof odataService>, last: object): Promise<unknown> {
  const lines = [...Array.from({ length: 20_000 }, (_each, index) => ({ Id: index })), last];
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ Id: 1, Lines: lines }),
  };
  const response = await to.fetch(new Request("http://x.example/Orders", init));
  return [response.status, await response.json()];
}

const CREATED = [
  201,
  {
    "@odata.context": "http://x.example/$metadata#Orders/$entity",
    "@odata.id": "http://x.example/Orders(1)",
    Id: 1,
  },
] as const;

const refused = (action: string, target: string): unknown => [
  403,
  { error: { code: "Forbidden", message: `The user of this request may not ${action}.`, target } },
];
const ENTITY = refused("create entities of Lines, the target of 'Lines' in Orders", "Lines");
const isCounted = (line: object): boolean => Number(Reflect.get(line, "id")) >= 0;

test.each<readonly [string, object, unknown]>([
  ["the user", { create: authenticated() }, CREATED],
  ["each entity", { create: resource((_user, line: object) => isCounted(line)) }, ENTITY],
  ["each entity, by promises", { create: resource((_user, line: object) => Promise.resolve(isCounted(line))) }, ENTITY],
  [
    "properties",
    { properties: { note: { create: role("clerk") } } },
    refused("give 'Note' to new entities of Lines", "Lines/20000/Note"),
  ],
])("rules of %s judge each of many nested entities", async (_title, authorization, answer) => {
  expect(await post(service(authorization), { Id: 20_000 })).toEqual(CREATED);
  expect(await post(service(authorization), { Id: -1, Note: "x" })).toEqual(answer);
});
