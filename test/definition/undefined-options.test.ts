import { ConfigurationError, edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";
import { noFailures } from "../service/http/model.ts";

const Thing = entityType("Thing", { id: edm.int32().key(), a: edm.int32() });

/** Options as JavaScript callers may give them. */
const serve = (options: object): ReturnType<typeof odataService> =>
  odataService({
    logger: noFailures,
    authenticate: undefined,
    authorization: undefined,
    defaults: { maxTop: undefined },
    entitySets: [
      entitySet(Thing, {
        getAll: () => [{ id: 1, a: 2 }],
        create: (thing) => thing,
        ...options,
      }),
    ],
  });

test.each<object>([
  { maxTop: undefined, filterEnabled: undefined, etag: undefined, allowDeepInsert: undefined },
  { authorization: undefined },
  { authorization: { all: undefined, read: undefined, rows: undefined, properties: undefined } },
  { validate: undefined, constraints: undefined, set: undefined, before: undefined, after: undefined },
  { validate: { create: undefined, patch: undefined }, before: { create: undefined }, after: { create: undefined } },
  { navigation: undefined, functions: undefined, actions: undefined, search: undefined },
])("an option that is undefined is not given: %o", async (options) => {
  const response = await serve(options).fetch(new Request("http://x.example/Things"));
  const value = [{ Id: 1, A: 2 }];
  expect([response.status, await response.json()]).toEqual([
    200,
    { "@odata.context": "http://x.example/$metadata#Things", value },
  ]);
});

test.each<readonly [object, string]>([
  [{ set: { a: undefined } }, "`set.a` is undefined."],
  [{ constraints: { things_a: undefined } }, "`things_a` of `constraints` is undefined."],
  [{ navigation: { others: undefined } }, "The navigation `others` is undefined."],
  [{ functions: { count: undefined } }, "`count` of `functions` is undefined."],
  [{ actions: { clear: undefined } }, "`clear` of `actions` is undefined."],
  [{ authorization: { properties: { a: undefined } } }, "`authorization.properties.a` is undefined."],
])("an entry that is undefined is a fault: %o", (options, message) => {
  try {
    serve(options);
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.faults.map((fault) => fault.message)).toEqual([message]);
  }
});
