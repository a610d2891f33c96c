import { describe, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { peopleByHandlers, peopleByTable } from "./profile-model.ts";

const FORMS = [
  ["handlers", peopleByHandlers],
  ["a table", peopleByTable],
] as const;

/** Requests of OData 4.01 that are served, with the ids that they find. */
const FOUND: ReadonlyArray<readonly [query: string, ids: readonly number[]]> = [
  ["$filter=Id in (2,3)", [2]],
  ["$filter=Id in @ids&@ids=[1,3]", [1]],
  ["$filter=Name in @names&@names=[%22Ben%22]", [2]],
  ["$filter=Id divby 2 eq 0.5", [1]],
  ["$compute=Id add 1 as Next&$filter=Next eq 3", [2]],
  ["$compute=Id mul -1 as Turned&$orderby=Turned", [2, 1]],
];

eachDoor((door) => {
  const path = (rest: string) => `/p/${rest.replaceAll(" ", "%20")}`;

  describe.each(FORMS)("clauses of the conformance levels, over %s", (_, make) => {
    test.each(FOUND)("%s", async (query, ids) => {
      const send = door.to(await make("standard"));
      const { status, json, text } = await send(path(`People?${query}`));
      expect(status, text).toBe(200);
      expect((json.value as ReadonlyArray<{ readonly Id: number }>).map(({ Id }) => Id)).toEqual(ids);
    });

    test.each(["standard", "specification"] as const)("PATCH creates nothing: %s", async (profile) => {
      const send = door.to(await make(profile));
      const json = { "Content-Type": "application/json" };
      expectError(await send("/p/People(9)", json, "PATCH", '{"Name":"Eve"}'), { status: 404, code: "NotFound" });
      expectError(await send("/p/People(9)"), { status: 404, code: "NotFound" });
    });

    test.each([
      "matchesPattern(Name,'^A')",
      "case(true:1) eq 1",
      "hassubset(Tags,['a'])",
      "hassubsequence(Tags,['a'])",
    ])("%s is refused by its name", async ($filter) => {
      const send = door.to(await make("standard"));
      const answer = await send(path(`People?$filter=${$filter}`));
      expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$filter" });
    });

    test.each(["People/1", "People/$each", "People/$filter(Id eq 1)"])("%s is refused", async (target) => {
      const send = door.to(await make("standard"));
      expect((await send(path(target))).status).toBe(404);
    });

    test.each(["PATCH", "DELETE"])("%s of a collection is refused", async (method) => {
      const send = door.to(await make("standard"));
      const { status, json } = await send("/p/People", { "Content-Type": "application/json" }, method, "{}");
      expect([status, json.error.code]).toEqual([405, "MethodNotAllowed"]);
    });
  });
});
