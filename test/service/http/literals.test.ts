import { arraySource, edm, entitySet, entityType, enumType, fn, hasMany, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectError, JSON_HEADERS, ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";

const GUID = "01234567-89ab-cdef-0123-456789abcdef";
const UPPER = GUID.toUpperCase();

const Pattern = enumType("Pattern", { Solid: 1, Yellow: 2, Striped: 8, Dotted: 32 }, { isFlags: true });
const Thing = entityType("Thing", {
  id: edm.guid().key(),
  owner: edm.guid().nullable(),
  guids: edm.collection(edm.guid()),
  style: edm.enum(Pattern),
  wait: edm.duration(),
  octets: edm.binary(),
});

const thing = {
  id: GUID,
  owner: GUID,
  guids: [GUID],
  style: "Solid,Yellow,Striped,Dotted",
  wait: "P6D",
  octets: new Uint8Array([1, 2, 3]),
} as const;

const service = odataService({
  prefix: "/s",
  entitySets: [
    entitySet(Thing, {
      queryable: () => arraySource(Thing, [thing]),
      getByKey: (id) => (id === GUID ? thing : null),
      patch: (_id, delta) => ({ ...thing, ...delta }),
      search: () => arraySource(Thing, [thing]),
      functions: {
        echo: fn({ bound: "collection", params: { id: edm.guid() }, returns: edm.guid(), handler: ({ id }) => id }),
      },
      navigation: { parts: hasMany<typeof Thing, typeof Thing>(Thing, { target: "Things", get: () => [thing] }) },
    }),
  ],
  functions: {
    same: fn({ params: { id: edm.guid() }, returns: edm.guid(), handler: ({ id }) => id }),
    later: fn({ params: { wait: edm.duration() }, returns: edm.duration(), handler: ({ wait }) => wait }),
  },
  logger: noFailures,
});

eachDoor((door) => {
  const ask = door.to(service);
  const get = (path: string) => ask(`/s/${path.replaceAll(" ", "%20")}`);

  describe("a quoted Guid is accepted wherever a Guid is", () => {
    test.each([
      `Id eq '${GUID}'`,
      `Id eq '${UPPER}'`,
      `'${GUID}' eq Id`,
      `Owner ge '${GUID}'`,
      `not (Owner ne '${UPPER}')`,
      `Id in ('${GUID}',00000000-0000-0000-0000-000000000000)`,
      `Owner in ('${UPPER}',null)`,
      `'${GUID}' in Guids`,
      `Guids/any(g:g eq '${GUID}')`,
      `$root/Things('${GUID}')/Id eq Id`,
    ])("$filter=%s", async (filter) => {
      expectAnswer(await get(`Things?$select=Id&$filter=${filter}`), {
        status: 200,
        headers: JSON_HEADERS,
        body: { "@odata.context": `${ORIGIN}/s/$metadata#Things(Id)`, value: [{ Id: GUID }] },
      });
    });

    test.each(["=", " eq "])("a quoted Guid in an alias: %j", async () => {
      const { status, json } = await get(`Things?$select=Id&$filter=Id eq @g&@g='${UPPER}'`);
      expect([status, json.value]).toEqual([200, [{ Id: GUID }]]);
    });

    test.each([
      `Things('${GUID}')`,
      `Things(Id='${UPPER}')`,
      `Things('${GUID}')/Parts('${GUID}')`,
      `Things(@k)?@k='${GUID}'`,
    ])("GET %s reads by key", async (path) => {
      const { status, json } = await get(path);
      expect([status, json.Id]).toEqual([200, GUID]);
    });

    test.each([`Things/echo(id='${UPPER}')`, `Things/echo?id='${GUID}'`, `Things/echo(id=@g)?@g='${GUID}'`])(
      "GET %s passes it to a parameter",
      async (path) => {
        const { status, json } = await get(path);
        expect([status, json.value]).toEqual([200, GUID]);
      },
    );

    test.each([
      ["Things('0123')", "InvalidKey", "key"],
      ["Things?$filter=Id eq '0123'", "InvalidQueryOption", "$filter"],
      ["same?id='0123'", "InvalidParameter", "id"],
      [`Things?$filter=concat('${GUID}','') eq Id`, "InvalidQueryOption", "$filter"],
    ])("GET %s is rejected: the string is not a Guid", async (path, code, target) => {
      expectError(await get(path), { status: 400, code, target });
    });

    test("two quoted strings are compared as strings", async () => {
      const { status, json } = await get(`Things?$select=Id&$filter='${GUID}' eq '${UPPER}'`);
      expect([status, json.value]).toEqual([200, []]);
    });
  });

  describe("flags accept a number with a sign", () => {
    test.each([
      "Style eq 'Solid,Yellow,%2B42'",
      "Style eq Default.Pattern'Solid,Yellow,%2B42'",
      "Style has 'Solid,%2B42'",
      "Style in ('Solid,Yellow,%2B42')",
    ])("$filter=%s", async (filter) => {
      const { status, json } = await get(`Things?$select=Id&$filter=${filter}`);
      expect([status, json.value]).toEqual([200, [{ Id: GUID }]]);
    });
  });

  describe("literals outside the grammar return 400", () => {
    test.each([
      ["Things?$filter=Wait eq duration'%2BP6D'", "InvalidQueryOption", "$filter"],
      ["later?wait=duration'%2BP6D'", "InvalidParameter", "wait"],
      ["later?wait=%2BP6D", "InvalidParameter", "wait"],
      ["Things?$filter=Octets eq binary'AQ%0AID'", "InvalidQueryOption", "$filter"],
      ["Things?$filter=Octets eq binary'AQ%0D%0AID'", "InvalidQueryOption", "$filter"],
      ["Things?$expand=Parts($levels=04)", "InvalidQueryOption", "$expand"],
      ["Things?$expand=Parts($levels=00)", "InvalidQueryOption", "$expand"],
      ["Things?$search=a;b", "InvalidQueryOption", "$search"],
      ["Things?$search=(a OR b;)", "InvalidQueryOption", "$search"],
      ['Things?$search="a" %22b%22;', "InvalidQueryOption", "$search"],
      ["Things?$expand=Parts($search=a;b)", "InvalidQueryOption", "$expand"],
      ["Things?$expand=Parts($search=a;)", "InvalidQueryOption", "$expand"],
      ["Things?$expand=Parts($search=(a;$top=1))", "InvalidQueryOption", "$expand"],
      ["Things?$expand=Parts($top=1;%24search=a%3Bb;top=1)", "InvalidQueryOption", "$expand"],
      ["Things?$expand=Parts($expand=Parts( $search=a;select=Id))", "InvalidQueryOption", "$expand"],
      ["Things?$expand=Parts/$count($search=a;b)", "InvalidQueryOption", "$expand"],
    ])("GET %s", async (path, code, target) => {
      expectError(await get(path), { status: 400, code, target });
    });

    test.each([
      ["Wait", "+P6D"],
      ["Octets", "AQ\nID"],
      ["Octets", "AQ\r\nID"],
    ])("PATCH of %s to %j", async (name, value) => {
      const body = JSON.stringify({ [name]: value });
      const answer = await ask(`/s/Things(${GUID})`, { "Content-Type": "application/json" }, "PATCH", body);
      expectError(answer, { status: 400, code: "InvalidBody", target: name });
    });

    test.each([
      "Things?$search=a%3Bb&$select=Id",
      'Things?$search="a;b"&$select=Id',
      "Things?$search=%22a%5C%22;b%22&$select=Id",
      "Things?$expand=Parts($levels=1)&$select=Id",
      "Things?$expand=Parts($search=a%3Bb)&$select=Id",
      'Things?$expand=Parts($search="a;b";$top=1)&$select=Id',
      "Things?$expand=Parts($search=a;%20$top=1;$count=true)&$select=Id",
      "Things?$expand=Parts($search=O'Neil%3B;$filter='($search=a;b' ne 'x')&$select=Id",
    ])("accepts GET %s", async (path) => {
      expect((await get(path)).status).toBe(200);
    });
  });
});
