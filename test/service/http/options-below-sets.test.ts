import { edm, entitySet, entityType, hasMany, hasOptional, odataService, type ServiceOptions } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";

/** Expansions and paths refuse options that the target set of a navigation disables, or that need a target set. */
const Node = entityType("Node", { id: edm.int32().key(), name: edm.string().nullable() });
const ROWS = [
  { id: 1, name: "one" },
  { id: 2, name: null },
];

/** `Open` leads to itself, to `Closed`, where nothing is expanded, and to entities of no set. */
function service(defaults: ServiceOptions["defaults"] = {}) {
  const next = (target: string) =>
    hasOptional<typeof Node, typeof Node>(Node, { target, get: (id: number) => ROWS[id] ?? null });
  const below = {
    next: next("Closed"),
    same: next("Open"),
    loose: hasMany(Node, { get: () => ROWS }),
  };
  const getAll = () => ROWS;
  return odataService({
    propertyNaming: "camelCase",
    defaults,
    entitySets: [
      entitySet(Node, { name: "Open", getAll, navigation: below }),
      entitySet(Node, { name: "Closed", getAll, navigation: { next: next("Closed") }, expandEnabled: false }),
    ],
  });
}

eachDoor((door) => {
  const send = door.to(service());
  const unlimited = door.to(service({ maxExpandItems: null, maxExpandDepth: null }));

  describe("levels", () => {
    test("end where the target set expands nothing", async () => {
      const levels = await send("/Open?$expand=next($levels=max)&$filter=id eq 1".replaceAll(" ", "%20"));
      const single = await send("/Open?$expand=next&$filter=id eq 1".replaceAll(" ", "%20"));
      expect([levels.status, levels.json.value]).toEqual([200, single.json.value]);
    });

    test("by number are refused there", async () => {
      expectError(await send("/Open?$expand=next($levels=2)"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$expand",
        message: /\$expand is not enabled for the entity set Closed/u,
      });
    });
  });

  describe("entities of no set", () => {
    test.each([
      ["loose($search=one)", "UnsupportedQueryOption", /\$search is not enabled here/u],
      ["loose($expand=next)", "InvalidQueryOption", /no target entity set, so nothing below it can be expanded/u],
      ["loose($levels=2)", "InvalidQueryOption", /no target entity set, so nothing below it can be expanded/u],
      ["loose/$ref", "InvalidQueryOption", /no target entity set, so its entities have no references/u],
    ])("%s is refused", async (expand, code, message) => {
      expectError(await send(`/Open?$expand=${expand}`), { status: 400, code, target: "$expand", message });
    });

    test("are filtered and ordered in an expansion", async () => {
      const answer = await send("/Open?$top=1&$expand=loose($filter=id%20gt%201;$orderby=name)");
      expect([answer.status, answer.json.value]).toEqual([
        200,
        [{ id: 1, name: "one", loose: [{ id: 2, name: null }] }],
      ]);
    });

    test("are not, where the service switches it off for all", async () => {
      const closed = door.to(service({ filterEnabled: false }));
      expectError(await closed("/Open?$expand=loose($filter=id%20gt%201)"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$expand",
        message: /\$filter is not enabled here/u,
      });
    });
  });

  test("without a limit on expansions, an expression may use any number of declared navigations", async () => {
    const filter = "next/id eq 2 and same/id eq 2 and same/next/id eq null".replaceAll(" ", "%20");
    for (const each of [send, unlimited]) expect((await each(`/Open?$filter=${filter}`)).status).toBe(200);
    expect((await unlimited("/Open?$expand=same($levels=3)")).status).toBe(200);
  });

  test.each([
    "null add 'a' eq 1",
    "'a' add null eq 1",
    "null and 5",
    "not 5",
    "contains(null,5)",
    "length(5) eq null",
    "5 has null",
    "-'a' eq null",
    "name in (null,5)",
    "(null eq null) gt 5",
  ])("an operand of another type beside null is refused: %s", async (filter) => {
    const answer = await send(`/Open?$filter=${filter.replaceAll(" ", "%20")}`);
    expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$filter" });
  });
});
