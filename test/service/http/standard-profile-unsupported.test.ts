import { describe, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { peopleByHandlers } from "./profile-model.ts";

/** A request, the status and code of it by default, and the option at fault. */
type Case = readonly [path: string, status: number, code: string, target?: string];

const OPTION = [400, "UnsupportedQueryOption"] as const;
const PATH = [404, "NotFound"] as const;

/** Requests that the standard allows and this service does not support: 501 with the standard's profile. */
const UNSUPPORTED: readonly Case[] = [
  ["Locked?$apply=aggregate($count as N)", ...OPTION, "$apply"],
  ["Locked?$compute=Id add 1 as Next", ...OPTION, "$compute"],
  ["People?$index=1", ...OPTION, "$index"],
  ["People?$deltatoken=x", ...OPTION, "$deltatoken"],
  ["Locked(1)?$compute=Id add 1 as Next", ...OPTION, "$compute"],
  ["Locked/$count?$apply=x", ...OPTION, "$apply"],
  ["People?$apply=nest(identity as X)", ...OPTION, "$apply"],
  ["?$apply=x", ...OPTION, "$apply"],
  ["People?$search=x", ...OPTION, "$search"],
  ["Locked?$filter=Id eq 1", ...OPTION, "$filter"],
  ["People?$expand=Fans($apply=aggregate($count as N))", ...OPTION, "$expand"],
  ["People?$expand=Fans($search=x)", ...OPTION, "$expand"],
  ["People?$expand=Net.Person/Fans", ...OPTION, "$expand"],
  ["People?$filter=isof(Net.Home)", ...OPTION, "$filter"],
  ["People?$filter=cast(Id,Edm.Date) eq null", ...OPTION, "$filter"],
  ["People?$filter=geo.length(Home) gt 1", ...OPTION, "$filter"],
  ["People?$filter=Net.Person/Id eq 1", ...OPTION, "$filter"],
  ["People?$filter=$root/People/any(p:p/Id eq 1)", ...OPTION, "$filter"],
  ["People?$orderby=cast(Id,Edm.Date)", ...OPTION, "$orderby"],
  ["People?$select=Net.Person/Name", ...OPTION, "$select"],
  ["People?$select=Home/Net.Home/City", ...OPTION, "$select"],
  ["People?$expand=Fans($select=Net.Person/Name)", ...OPTION, "$expand"],
  ["People(1)/Home?$select=City", ...OPTION, "$select"],
  ["People(1)/Tags?$top=1", ...OPTION, "$top"],
  ["everyone?$filter=Id eq 1", ...OPTION, "$filter"],
  ["everyone()?$filter=true", ...OPTION, "$filter"],
  ["everyone()?$orderby=Name", ...OPTION, "$orderby"],
  ["listed?$search=x", ...OPTION, "$search"],
  ["People(1)/Home/Net.Home/City", ...PATH],
  ["People(1)/Pet/Name", ...PATH],
  ["People(1)/Best/Pets(1)/Name", ...PATH],
  ["People(1)/Best/Net.Person/Name", ...PATH],
  ["People(2)/Fans/Net.Person", ...PATH],
  ["People/Net.Person", ...PATH],
  ["People/Net.Person/$count", ...PATH],
  ["People/Net.Person(1)", ...PATH],
  ["People(1)/Net.Person", ...PATH],
  ["People(1)/Net.Person/Name", ...PATH],
  ["listed()/$count", ...PATH],
  ["listed()(1)/Name", ...PATH],
  ["$all", ...PATH],
  ["$crossjoin(People,Locked)", ...PATH],
];

/** Requests that only the standard's profile serves. */
const SERVED = [
  ["People/$ref", 200],
  ["People(1)/$ref", 200],
  ["$entity?$id=People(1)", 200],
  ["People(1)/Best/Name", 200],
  ["People(2)/Fans(1)/Home", 200],
  ["People(1)/Best/Fans(1)/Home/Zip/$value", 200],
  ["People(1)/Best/Net.nearby()", 200],
  ["People(1)/Best/Best/Fans", 404],
] as const;

/** Requests that the standard does not allow, or that name a missing resource: the same in both profiles. */
const WRONG: readonly Case[] = [
  ["People?$foo=1", ...OPTION, "$foo"],
  ["People?$Filter=Id eq 1", ...OPTION, "$Filter"],
  ["People(1)?$top=1", ...OPTION, "$top"],
  ["People(1)?$filter=Id eq 1", ...OPTION, "$filter"],
  ["People/$count?$expand=Fans", ...OPTION, "$expand"],
  ["?$top=1", ...OPTION, "$top"],
  ["$metadata?$filter=true", ...OPTION, "$filter"],
  ["People(1)/Name?$top=1", ...OPTION, "$top"],
  ["People(1)/Home?$filter=true", ...OPTION, "$filter"],
  ["version?$filter=true", ...OPTION, "$filter"],
  ["People?$expand=Fans($foo=1)", ...OPTION, "$expand"],
  ["People?$filter=Fans/any(f:g/Id eq 1)", 400, "InvalidQueryOption", "$filter"],
  ["People?$filter=Id eq", 400, "InvalidQueryOption", "$filter"],
  ["People?$filter=foo(Id)", 400, "InvalidQueryOption", "$filter"],
  ["People?$filter=Nothing eq 1", 400, "InvalidQueryOption", "$filter"],
  ["People?$top=-1", 400, "InvalidQueryOption", "$top"],
  ["Nobody", ...PATH],
  ["Nobody/Name", ...PATH],
  ["People(1)/Nothing", ...PATH],
  ["People(1)/Home/Nothing", ...PATH],
  ["People(1)/Home/$value/x", ...PATH],
  ["People(1)/Name/Length", ...PATH],
  ["People(1)/Name/$count", ...PATH],
  ["People(1)/Name(1)", ...PATH],
  ["People(1)/Best(1)/Name", ...PATH],
  ["People(1)/Best/$count", ...PATH],
  ["People(1)/Net.Pet", ...PATH],
  ["People(1)(2)", ...PATH],
  ["People(1)/$value", ...PATH],
  ["People/Name", ...PATH],
  ["People/$count/$count", ...PATH],
  ["everyone()/$count", ...PATH],
  ["$metadata/Net", ...PATH],
  ["$crossjoin(People,Nobody)", ...PATH],
  ["$crossjoin", ...PATH],
  ["$entity(1)", ...PATH],
  ["$all()", ...PATH],
  ["People(1)/Tags/$count()", ...PATH],
  ["People(1)/Tags(1)", ...PATH],
];

eachDoor((door) => {
  const standard = door.to(peopleByHandlers("standard"));
  const specified = door.to(peopleByHandlers("specification"));
  const targetOf = (path: string) => `/p/${path.replaceAll(" ", "%20")}`;
  const withTarget = (target: string | undefined) => (target === undefined ? {} : { target });

  describe("a valid request that is not supported is 501, by default 400 or 404", () => {
    test.each(UNSUPPORTED.map((each) => [each[0], each] as const))("%s", async (path, [, status, code, target]) => {
      const answer = await standard(targetOf(path));
      expectError(answer, { status: 501, code: "NotImplemented", ...withTarget(target) });
      const other = await specified(targetOf(path));
      expectError(other, { status, code, ...withTarget(target) });
    });
  });

  test.each(SERVED)("%s is served, by default 404", async (path, status) => {
    expect((await standard(targetOf(path))).status).toBe(status);
    expectError(await specified(targetOf(path)), { status: 404, code: "NotFound" });
  });

  describe("a wrong request is the same error in both profiles", () => {
    test.each(WRONG.map((each) => [each[0], each] as const))("%s", async (path, [, status, code, target]) => {
      for (const send of [standard, specified]) {
        expectError(await send(targetOf(path)), { status, code, ...withTarget(target) });
      }
    });
  });

  test.each([
    ["People(1)/Pet/Name", "'Name' is not valid here. Only '$ref' may follow the navigation property 'Pet'."],
    ["People(1)/Pets(1)/Name", "'Name' is not valid here. To go further, address the related entity"],
    ["People(1)/Net.Person/Home/City", "An entity of 'People' has no property or operation 'Net.Person'."],
  ])("%s: the message names the first segment that is not supported", async (path, message) => {
    const answer = await standard(targetOf(path));
    expectError(answer, {
      status: 501,
      code: "NotImplemented",
      message: new RegExp(message.replaceAll(/[$.]/g, "\\$&"), "u"),
    });
  });

  test("HEAD and other methods on a path that is not supported", async () => {
    expect((await standard("/p/People(1)/Pet/Name", {}, "HEAD")).status).toBe(501);
    const put = await standard("/p/People(1)/Pet/Name", { "Content-Type": "application/json" }, "PUT", "{}");
    expectError(put, { status: 501, code: "NotImplemented" });
  });
});
