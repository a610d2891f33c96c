import { edm, entitySet, entityType, hasMany, hasOptional, odataError, odataService } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, type HeaderTable, JSON_HEADERS, ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";
import { tagOf } from "./write-table.ts";

const Note = entityType("Note", {
  id: edm.int32().key().computed(),
  text: edm.string(),
  version: edm.int32().computed(),
});
const Line = entityType("Line", {
  number: edm.int32().key(),
  text: edm.string(),
  remark: edm.string().nullable(),
  secret: edm.string().ignored(),
  version: edm.int32().computed(),
});
const Order = entityType("Order", { id: edm.int32().key(), version: edm.int32().computed() });

const calls: unknown[] = [];
beforeEach(() => {
  calls.length = 0;
});

/** Order 1 exists; new entities get version 1. */
const create = (key: number, given: { readonly number: number; readonly text: string }) => {
  calls.push([key, { ...given }]);
  return key === 1 ? { ...given, remark: null, secret: "hidden", version: 1 } : null;
};

const service = odataService({
  prefix: "/s",
  namespace: "Kit",
  entitySets: [
    entitySet(Order, {
      etag: ["version"],
      getByKey: (id) => (id === 1 ? { id, version: 3 } : null),
      navigation: {
        lines: hasMany(Line, { target: "Lines", create }),
        loose: hasMany(Line, { create }),
        notes: hasMany(Note, { target: "Notes", create: (_, { text }) => ({ id: 12, text, version: 1 }) }),
        read: hasMany(Line, { get: () => [] }),
        one: hasOptional(Line, { get: () => null }),
        busy: hasMany(Line, { create: () => odataError(409, "Busy", "Later.") }),
      },
    }),
    entitySet(Line, {
      etag: ["version"],
      getAll: () => [],
      navigation: { order: hasOptional(Order, { target: "Orders" }), notes: hasMany(Note, { target: "Notes" }) },
    }),
    entitySet(Note, { getAll: () => [] }),
  ],
  logger: noFailures,
});

const JSON_BODY = { "Content-Type": "application/json" };
const BODY = '{"Number":7,"Text":"a"}';

eachDoor((door) => {
  const ask = door.to(service);
  const post = (path: string, body: string = BODY, headers: HeaderTable = {}) =>
    ask(`/s/${path}`, { ...JSON_BODY, ...headers }, "POST", body);

  test("201 with the child; with a target set it has a URL, and the ETag of that set", async () => {
    const url = `${ORIGIN}/s/Lines(7)`;
    const etag = tagOf({ version: 1 });
    expectAnswer(await post("Orders(1)/Lines"), {
      status: 201,
      headers: { ...JSON_HEADERS, location: url, etag },
      body: {
        "@odata.context": `${ORIGIN}/s/$metadata#Lines/$entity`,
        "@odata.id": url,
        "@odata.etag": etag,
        Number: 7,
        Text: "a",
        Remark: null,
        Version: 1,
      },
    });
    expect(calls).toEqual([[1, { number: 7, text: "a", remark: null }]]);
  });

  test("without a target set it has neither URL nor ETag", async () => {
    expectAnswer(await post("Orders(1)/Loose"), {
      status: 201,
      headers: JSON_HEADERS,
      body: {
        "@odata.context": `${ORIGIN}/s/$metadata#Orders(1)/Loose/$entity`,
        Number: 7,
        Text: "a",
        Remark: null,
        Version: 1,
      },
    });
  });

  test("the URL contains a key that the server generates", async () => {
    const { status, headers, json } = await post("Orders(1)/Notes", '{"Text":"a"}');
    expect([status, headers["location"], json.Id]).toEqual([201, `${ORIGIN}/s/Notes(12)`, 12]);
  });

  test("Prefer: return=minimal is 204; OData-EntityId and Location only with a target set", async () => {
    const url = `${ORIGIN}/s/Lines(7)`;
    const minimal = { Prefer: "return=minimal" };
    const applied = { ...EMPTY_HEADERS, "preference-applied": "return=minimal" };
    const headers = { ...applied, location: url, "odata-entityid": url, etag: tagOf({ version: 1 }) };
    expectAnswer(await post("Orders(1)/Lines", BODY, minimal), { status: 204, headers, body: "" });
    expectAnswer(await post("Orders(1)/Loose", BODY, minimal), { status: 204, headers: applied, body: "" });
  });

  test("Prefer: return=representation says so", async () => {
    const { status, headers } = await post("Orders(1)/Loose", BODY, { Prefer: "return=representation" });
    expect([status, headers["preference-applied"]]).toEqual([201, "return=representation"]);
  });

  test("$select chooses the properties of the response", async () => {
    const { json } = await post("Orders(1)/Loose?$select=Text");
    expect(json).toEqual({ "@odata.context": `${ORIGIN}/s/$metadata#Orders(1)/Loose(Text)/$entity`, Text: "a" });
    const selected = await post("Orders(1)/Lines?$select=Text");
    expect(selected.json["@odata.context"]).toBe(`${ORIGIN}/s/$metadata#Lines(Text)/$entity`);
  });

  test("null from the handler: the parent is missing", async () => {
    expectError(await post("Orders(99)/Lines"), { status: 404, code: "NotFound", message: /99/u });
    expect(calls).toHaveLength(1);
  });

  test.each([
    ["empty", ""],
    ["malformed", "{"],
    ["an array", `[${BODY}]`],
    ["a scalar", "1"],
    ["null", "null"],
    ["an unknown member", '{"Number":7,"Text":"a","Nope":1}'],
    ["an ignored member", '{"Number":7,"Text":"a","Secret":"x"}'],
    ["a member that lacks", '{"Number":7}'],
    ["the key lacks", '{"Text":"a"}'],
    ["another type", '{"Number":"7","Text":"a"}'],
  ])("a body that is wrong is 400: %s", async (_, body) => {
    const answer = await post("Orders(1)/Lines", body);
    expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidBody"]);
    expect(calls).toEqual([]);
  });

  test("Content-Type other than JSON is 415", async () => {
    const answer = await post("Orders(1)/Lines", BODY, { "Content-Type": "text/plain" });
    expectError(answer, { status: 415, code: "UnsupportedMediaType", target: "Content-Type" });
    expect(calls).toEqual([]);
  });

  test("405 without a create handler, and for a single entity", async () => {
    for (const path of ["Read", "One"]) {
      const answer = await post(`Orders(1)/${path}`);
      expectError(answer, { status: 405, code: "MethodNotAllowed", headers: { allow: "GET, HEAD, OPTIONS" } });
    }
  });

  test("nested entities are null, links to existing ones 501 before the handler", async () => {
    expect(
      (await post("Orders(1)/Lines", '{"Number":7,"Text":"a","Order":{"Id":5},"Notes":[{"Text":"x"}]}')).status,
    ).toBe(201);
    expect(calls).toEqual([[1, { number: 7, text: "a", remark: null, order: null, notes: null }]]);
    calls.length = 0;
    for (const body of [
      '{"Number":7,"Text":"a","Order@odata.bind":"Orders(5)"}',
      '{"Number":7,"Text":"a","Order":{"X@odata.bind":"a"}}',
    ]) {
      const answer = await post("Orders(1)/Lines", body);
      expect([answer.status, answer.json.error.code]).toEqual([501, "NotImplemented"]);
    }
    expect(calls).toEqual([]);
  });

  test("the error of the handler", async () => {
    expectError(await post("Orders(1)/Busy"), { status: 409, code: "Busy" });
  });

  describe("If-Match is about the parent", () => {
    const current = tagOf({ version: 3 });

    test.each([current, "*", `W/${current}`])("%s holds", async (tags) => {
      expect((await post("Orders(1)/Lines", BODY, { "If-Match": tags })).status).toBe(201);
    });

    test.each([
      ["Orders(1)/Lines", tagOf({ version: 1 })],
      ["Orders(99)/Lines", "*"],
    ])("POST %s with %s fails", async (path, tags) => {
      expectError(await post(path, BODY, { "If-Match": tags }), {
        status: 412,
        code: "PreconditionFailed",
      });
      expect(calls).toEqual([]);
    });
  });

  test.each(["$expand", "$filter", "$top", "$count", "$foo"])("%s is refused", async (option) => {
    const expected = { status: 400, code: "UnsupportedQueryOption", target: option };
    expectError(await post(`Orders(1)/Lines?${option}=1`), expected);
    expect(calls).toEqual([]);
  });
});
