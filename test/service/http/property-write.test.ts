import { applyDelta, complexType, edm, entitySet, entityType, odataError, odataService } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, type HeaderTable } from "./doors.ts";
import { noFailures, recordingLogger } from "./model.ts";
import { tagOf } from "./write-table.ts";

const Size = complexType("Size", { width: edm.int32(), height: edm.int32().nullable() });
const Parcel = entityType("Parcel", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 8 }),
  remark: edm.string().nullable(),
  weight: edm.decimal({ precision: 6, scale: 2 }).nullable(),
  count: edm.int64(),
  size: edm.complex(Size).nullable(),
  place: edm.complex(Size),
  tags: edm.collection(edm.string()),
  sentAt: edm.dateTimeOffset().nullable(),
  origin: edm.string().immutable(),
  secret: edm.string().ignored(),
  version: edm.int32().computed(),
});

const ROW = {
  id: 1,
  name: "box",
  remark: "old",
  weight: "1.50",
  count: 1n,
  size: { width: 1, height: 2 },
  place: { width: 3, height: null },
  tags: ["a"],
  sentAt: null,
  origin: "Rome",
  secret: "hidden",
  version: 3,
};
type Row = typeof ROW;

const rows = new Map<number, Row>();
const calls: unknown[] = [];

beforeEach(() => {
  rows.clear();
  rows.set(1, structuredClone(ROW));
  calls.length = 0;
});

const patch = (key: number, delta: object, { expected }: { readonly expected: unknown }) => {
  calls.push({ key, delta: { ...delta }, expected });
  const old = rows.get(key);
  if (old === undefined) return null;
  const saved = { ...(applyDelta(Parcel, old, delta) as Row), version: old.version + 1 };
  rows.set(key, saved);
  return saved;
};
const getByKey = (key: number) => rows.get(key) ?? null;

const service = odataService({
  prefix: "/s",
  namespace: "Kit",
  entitySets: [
    entitySet(Parcel, { getByKey, patch, etag: ["version"] }),
    entitySet(Parcel, { name: "Plain", getByKey, patch }),
    entitySet(Parcel, { name: "Blind", patch, etag: ["version"] }),
    entitySet(Parcel, { name: "Replaced", getByKey, replace: () => null }),
    entitySet(Parcel, { name: "Closed", getByKey, patch, propertyAccessEnabled: false }),
    entitySet(Parcel, { name: "Busy", patch: () => odataError(409, "Busy", "Later.") }),
  ],
  logger: noFailures,
});

const JSON_BODY = { "Content-Type": "application/json" };
const value = (json: string): string => `{"value":${json}}`;

eachDoor((door) => {
  const send = door.to(service);
  const put = (path: string, body: string, headers: HeaderTable = {}) =>
    send(`/s/${path}`, { ...JSON_BODY, ...headers }, "PUT", body);

  describe("PUT and PATCH write one value", () => {
    test.each<readonly [name: string, json: string, field: keyof Row, stored: unknown]>([
      ["Name", '"new"', "name", "new"],
      ["Remark", "null", "remark", null],
      ["Weight", "2.50", "weight", "2.50"],
      ["Count", "9007199254740993", "count", 9007199254740993n],
      ["SentAt", '"2024-02-29T10:00:00+02:00"', "sentAt", "2024-02-29T10:00:00+02:00"],
    ])("%s = %s", async (name, json, field, stored) => {
      for (const method of ["PUT", "PATCH"]) {
        rows.set(1, structuredClone(ROW));
        calls.length = 0;
        const answer = await send(`/s/Parcels(1)/${name}`, JSON_BODY, method, value(json));
        expectAnswer(answer, { status: 204, headers: { ...EMPTY_HEADERS, etag: tagOf({ version: 4 }) }, body: "" });
        expect(calls).toEqual([{ key: 1, delta: { [field]: stored }, expected: undefined }]);
        expect(rows.get(1)).toEqual({ ...ROW, [field]: stored, version: 4 });
      }
    });

    test.each<readonly [name: string, json: string, field: keyof Row, stored: unknown]>([
      ["Size", '{"Width":7}', "size", { width: 7, height: null }],
      ["Size", "null", "size", null],
      ["Place", '{"Width":7,"Height":8}', "place", { width: 7, height: 8 }],
      ["Tags", '["x","y"]', "tags", ["x", "y"]],
      ["Tags", "[]", "tags", []],
    ])("PUT replaces the whole of %s: %s", async (name, json, field, stored) => {
      expect((await put(`Parcels(1)/${name}`, value(json))).status).toBe(204);
      expect(rows.get(1)).toEqual({ ...ROW, [field]: stored, version: 4 });
    });

    test("PATCH of a complex property or a collection is refused before anything is read", async () => {
      for (const name of ["Size", "Place", "Tags"]) {
        const answer = await send(`/s/Parcels(1)/${name}`, JSON_BODY, "PATCH", value("null"));
        expectError(answer, { status: 400, code: "NotSupported", target: name });
      }
      expect(calls).toEqual([]);
    });

    test("IEEE754Compatible: numbers may be strings", async () => {
      const answer = await put("Parcels(1)/Count", value('"9007199254740993"'), {
        "Content-Type": "application/json;IEEE754Compatible=true",
      });
      expect(answer.status).toBe(204);
      expect(rows.get(1)?.count).toBe(9007199254740993n);
    });

    test("Prefer: return=representation is not honoured, return=minimal is what happens", async () => {
      const plain = await put("Parcels(1)/Name", value('"a"'), { Prefer: "return=representation" });
      expectAnswer(plain, { status: 204, headers: { ...EMPTY_HEADERS, etag: tagOf({ version: 4 }) }, body: "" });
      const minimal = await put("Parcels(1)/Name", value('"b"'), { Prefer: "return=minimal" });
      const headers = { ...EMPTY_HEADERS, etag: tagOf({ version: 5 }), "preference-applied": "return=minimal" };
      expectAnswer(minimal, { status: 204, headers, body: "" });
    });

    test("a set without ETags returns no ETag header", async () => {
      expectAnswer(await put("Plain(1)/Name", value('"a"')), { status: 204, headers: EMPTY_HEADERS, body: "" });
    });
  });

  describe("DELETE sets the value to null", () => {
    test.each<readonly [string, keyof Row]>([
      ["Remark", "remark"],
      ["Weight", "weight"],
      ["Size", "size"],
    ])("%s", async (name, field) => {
      const answer = await send(`/s/Parcels(1)/${name}`, {}, "DELETE");
      expectAnswer(answer, { status: 204, headers: { ...EMPTY_HEADERS, etag: tagOf({ version: 4 }) }, body: "" });
      expect(calls).toEqual([{ key: 1, delta: { [field]: null }, expected: undefined }]);
    });

    test.each(["Name", "Count", "Place", "Tags"])("%s is never null: refused before the data source", async (name) => {
      for (const id of [1, 99]) {
        for (const headers of [{}, { "If-Match": '"stale"' }]) {
          expectError(await send(`/s/Parcels(${String(id)})/${name}`, headers, "DELETE"), {
            status: 400,
            code: "NullNotAllowed",
            target: name,
          });
        }
      }
      expect(calls).toEqual([]);
    });
  });

  describe("the table of refusals, whatever the method", () => {
    const methods = ["PUT", "PATCH", "DELETE"];
    const ask = (path: string, method: string, headers: HeaderTable = {}) =>
      send(`/s/${path}`, method === "DELETE" ? headers : { ...JSON_BODY, ...headers }, method, body(method));
    const body = (method: string): string | undefined => (method === "DELETE" ? undefined : value("null"));

    test.each(methods)("%s: a missing entity is 404, with If-Match 412", async (method) => {
      expectError(await ask("Parcels(99)/Remark", method), { status: 404, code: "NotFound", message: /99/u });
      expect(calls).toHaveLength(1);
      for (const set of ["Parcels", "Plain", "Blind"]) {
        for (const tags of ["*", '"x"']) {
          const answer = await ask(`${set}(99)/Remark`, method, { "If-Match": tags });
          expectError(answer, { status: 412, code: "PreconditionFailed", message: /^If-Match does not hold/u });
        }
      }
    });

    test.each(methods)("%s: the key property is 400, whatever else is wrong", async (method) => {
      for (const id of [1, 99]) {
        const refused = { status: 400, code: "ImmutableKey", target: "Id" };
        expectError(await ask(`Parcels(${String(id)})/Id`, method), refused);
        expectError(await ask(`Parcels(${String(id)})/Id`, method, { "If-Match": '"stale"' }), refused);
      }
      expectError(await send("/s/Parcels(1)/Id", JSON_BODY, method, method === "DELETE" ? undefined : "{"), {
        status: 400,
        code: "ImmutableKey",
        target: "Id",
      });
      expect(calls).toEqual([]);
    });

    test.each(methods)("%s: a computed or immutable property cannot be written", async (method) => {
      for (const name of ["Version", "Origin"]) {
        expectError(await ask(`Parcels(1)/${name}`, method), { status: 400, code: "NotSupported", target: name });
      }
      expect(calls).toEqual([]);
    });

    test.each(methods)("%s: an unknown or ignored property is 404", async (method) => {
      for (const name of ["Nope", "Secret", "name"]) {
        expectError(await ask(`Parcels(1)/${name}`, method), { status: 404, code: "NotFound" });
      }
    });

    test.each(methods)("%s: If-Match", async (method) => {
      const current = tagOf(ROW);
      for (const tags of ['"stale"', `"x", "${"y".repeat(44)}"`, "", current.slice(1, -1)]) {
        const answer = await ask("Parcels(1)/Remark", method, { "If-Match": tags });
        expectError(answer, { status: 412, code: "PreconditionFailed", message: /^If-Match does not hold/u });
      }
      expect(calls).toEqual([]);
      for (const [tags, expected] of [
        [current, { version: 3 }],
        [`"x",W/${current}`, { version: 3 }],
        ["*", undefined],
      ] as const) {
        rows.set(1, structuredClone(ROW));
        calls.length = 0;
        expect((await ask("Parcels(1)/Remark", method, { "If-Match": tags })).status).toBe(204);
        expect(calls).toEqual([{ key: 1, delta: { remark: null }, expected }]);
      }
    });

    test.each(methods)("%s: a set without ETags matches * and no tag", async (method) => {
      expectError(await ask("Plain(1)/Remark", method, { "If-Match": tagOf(ROW) }), {
        status: 412,
        code: "PreconditionFailed",
      });
      expect((await ask("Plain(1)/Remark", method, { "If-Match": "*" })).status).toBe(204);
    });

    test.each(methods)("%s: a set that does not read by key skips the check", async (method) => {
      expect((await ask("Blind(1)/Remark", method, { "If-Match": '"stale"' })).status).toBe(204);
      expect(calls).toEqual([{ key: 1, delta: { remark: null }, expected: undefined }]);
    });

    test.each(methods)("%s: no route without a patch handler, or without property access", async (method) => {
      const { headers } = await send("/s/Replaced(1)/Remark", {}, "OPTIONS");
      expect(headers["allow"]).toBe("GET, HEAD, OPTIONS");
      const notAllowed = await ask("Replaced(1)/Remark", method);
      expectError(notAllowed, { status: 405, code: "MethodNotAllowed", headers: { allow: "GET, HEAD, OPTIONS" } });
      expectError(await ask("Closed(1)/Remark", method), { status: 404, code: "NotFound" });
    });

    test.each(methods)("%s: /$value is read only", async (method) => {
      const answer = await ask("Parcels(1)/Remark/$value", method);
      expectError(answer, { status: 405, code: "MethodNotAllowed", headers: { allow: "GET, HEAD, OPTIONS" } });
    });

    test.each(methods)("%s: the error of a handler", async (method) => {
      expectError(await ask("Busy(1)/Remark", method), { status: 409, code: "Busy" });
    });

    test.each(methods)("%s: query options and Accept", async (method) => {
      for (const option of ["$select", "$expand", "$id", "$foo"]) {
        const expected = { status: 400, code: "UnsupportedQueryOption", target: option };
        expectError(await ask(`Parcels(1)/Remark?${option}=Id`, method), expected);
      }
      expectError(await ask("Parcels(1)/Remark", method, { Accept: "image/png" }), {
        status: 406,
        code: "NotAcceptable",
        target: "Accept",
      });
      expectError(await ask("Parcels(x)/Remark", method), { status: 400, code: "InvalidKey", target: "key" });
    });
  });

  describe("bodies", () => {
    test.each([
      ["empty", ""],
      ["blank", "  "],
      ["malformed", "{"],
      ["no object", "[1]"],
      ["a scalar", '"x"'],
      ["null", "null"],
      ["no value", "{}"],
      ["another case", '{"Value":"x"}'],
      ["value twice", '{"value":"x","value":"y"}'],
      ["more than a value", '{"value":"x","other":1}'],
      ["another type", '{"value":5}'],
      ["an object", '{"value":{}}'],
      ["too long", '{"value":"123456789"}'],
    ])("%s", async (_, body) => {
      for (const method of ["PUT", "PATCH"]) {
        const answer = await send("/s/Parcels(1)/Name", JSON_BODY, method, body);
        expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidBody"]);
      }
      expect(calls).toEqual([]);
      expect(rows.get(1)).toEqual(ROW);
    });

    test.each([
      ["Name", "null"],
      ["Count", "null"],
      ["Place", "null"],
      ["Tags", "null"],
      ["Tags", "[null]"],
      ["Place", '{"Width":null}'],
    ])("null where none may be: %s = %s", async (name, json) => {
      for (const id of [1, 99]) {
        const answer = await put(`Parcels(${String(id)})/${name}`, value(json));
        expect([answer.status, answer.json.error.code]).toEqual([400, "NullNotAllowed"]);
      }
      expect(calls).toEqual([]);
    });

    test.each([
      ["Weight", "1.234"],
      ["Weight", "12345.67"],
      ["Count", "1.5"],
      ["Count", '"one"'],
      ["Count", "9223372036854775808"],
      ["SentAt", '"2024-02-30T10:00:00Z"'],
      ["Size", '{"Width":1,"Depth":2}'],
      ["Size", '{"Height":1}'],
      ["Size", "[]"],
      ["Tags", '"a"'],
    ])("an invalid value is 400: %s = %s", async (name, json) => {
      const answer = await put(`Parcels(1)/${name}`, value(json));
      expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidBody"]);
      expect(calls).toEqual([]);
    });

    test("ignores annotations next to the value", async () => {
      expect((await put("Parcels(1)/Name", '{"@odata.context":"x","value":"a"}')).status).toBe(204);
    });

    test.each(["text/plain", "application/xml", "application/jsonx", undefined])("Content-Type: %s", async (type) => {
      for (const method of ["PUT", "PATCH"]) {
        // Both doors would add a default type to a string without one.
        const headers: HeaderTable = type === undefined ? { "Content-Type": "" } : { "Content-Type": type };
        const answer = await send("/s/Parcels(1)/Name", headers, method, value('"a"'));
        expectError(answer, { status: 415, code: "UnsupportedMediaType", target: "Content-Type" });
      }
      expect(calls).toEqual([]);
    });
  });

  test("a patch handler that returns no entity is a logged 500", async () => {
    const logger = recordingLogger();
    const set = entitySet(Parcel, { patch: () => "saved" as never, etag: ["version"] });
    const ask = door.to(odataService({ prefix: "/s", entitySets: [set], logger }));
    const answer = await ask("/s/Parcels(1)/Name", JSON_BODY, "PUT", value('"a"'));
    expectError(answer, { status: 500, code: "InternalServerError" });
    expect(logger.errors).toHaveLength(1);
  });
});
