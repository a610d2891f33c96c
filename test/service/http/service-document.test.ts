import { action, edm, entitySet, fn, odataService } from "odatakit";
import { describe, test } from "vitest";
import { eachDoor, expectAnswer, expectError, ORIGIN } from "./doors.ts";
import { Item, ITEMS, noFailures } from "./model.ts";

const entitySets = [
  entitySet(Item, { getAll: () => ITEMS }),
  entitySet(Item, { name: "Keyed", getByKey: () => null }),
  entitySet(Item, { name: "Ünïts", getAll: () => ITEMS }),
];
const operations = {
  functions: { greet: fn({ params: { who: edm.string() }, returns: edm.string(), handler: ({ who }) => who }) },
  actions: { ping: action({ handler: () => {} }) },
};
const atRoot = odataService({ entitySets, logger: noFailures });
const named = odataService({ name: "v1", entitySets, ...operations, logger: noFailures });
const deep = odataService({ prefix: "/api/v2/odata", entitySets: [], logger: noFailures });

const SETS = [
  { name: "Items", kind: "EntitySet", url: "Items" },
  { name: "Keyed", kind: "EntitySet", url: "Keyed" },
  { name: "Ünïts", kind: "EntitySet", url: "%C3%9Cn%C3%AFts" },
];

eachDoor((door) => {
  describe("the service document", () => {
    test.each(["/", "/?x=1", "/?$format=json"])("of a service at the root: %s", async (path) => {
      expectAnswer(await door.to(atRoot)(path), { body: { "@odata.context": `${ORIGIN}/$metadata`, value: SETS } });
    });

    test.each(["/v1", "/v1/"])("lists unbound functions and actions too: %s", async (path) => {
      expectAnswer(await door.to(named)(path), {
        body: {
          "@odata.context": `${ORIGIN}/v1/$metadata`,
          value: [
            ...SETS,
            { name: "greet", kind: "FunctionImport", url: "greet" },
            { name: "ping", kind: "ActionImport", url: "ping" },
          ],
        },
      });
    });

    test("of a service without sets, at a deep prefix", async () => {
      const body = { "@odata.context": `${ORIGIN}/api/v2/odata/$metadata`, value: [] };
      expectAnswer(await door.to(deep)("/api/v2/odata"), { body });
      expectError(await door.to(deep)("/api/v2"), { status: 404, code: "NotFound" });
      expectError(await door.to(deep)("/api/v2/odatax"), { status: 404, code: "NotFound" });
    });

    test.each(["$top=1", "$filter=true", "$select=name", "$count=true", "$orderby=name", "$skip=0"])(
      "takes no query option: %s",
      async (option) => {
        const answer = await door.to(atRoot)(`/?${option}`);
        const target = option.split("=")[0]!;
        expectError(answer, { status: 400, code: "UnsupportedQueryOption", target });
      },
    );

    test.each(["POST", "PUT", "PATCH", "DELETE"])("%s is 405", async (method) => {
      const answer = await door.to(atRoot)("/", {}, method);
      expectError(answer, { status: 405, code: "MethodNotAllowed", headers: { allow: "GET, HEAD, OPTIONS" } });
    });
  });
});
