import { edm, entitySet, entityType, hasMany, odataError, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import {
  eachDoor,
  EMPTY_HEADERS,
  expectAnswer,
  expectError,
  JSON_HEADERS,
  ORIGIN,
  TEXT_HEADERS,
  VARY,
} from "./doors.ts";
import { Item, ITEMS, noFailures, recordingLogger, Sample, SAMPLES, sampleService } from "./model.ts";

/** Every property of the samples, by wire name. */
const FIELDS = Object.keys(Sample.properties).filter((field) => field !== "secret");
const nameOf = (field: string): string =>
  field === "renamed" ? "remark" : `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`;

const STRUCTURED = new Set(["home", "maybeHome", "texts", "maybeTexts", "numbers", "amounts", "colors", "homes"]);
const BINARY = new Set(["binary", "maybeBinary"]);

/** The text of the value of a member of a JSON object, digits and all. */
function memberText(json: string, name: string): string {
  const at = json.indexOf(`"${name}":`) + name.length + 3;
  for (let end = at + 1; end <= json.length; end++) {
    const text = json.slice(at, end);
    if (!/^[,}]/u.test(json.slice(end))) continue;
    try {
      JSON.parse(text);
      return text;
    } catch {
      // A longer text may be the value.
    }
  }
  throw new Error(`no ${name}`);
}

eachDoor((door) => {
  const send = door.to(sampleService);

  describe("the value of a property is the member of the entity", () => {
    test.each(FIELDS)("%s", async (field) => {
      const name = nameOf(field);
      for (const { id } of SAMPLES) {
        const entity = await send(`/odata/Samples(${String(id)})`);
        const answer = await send(`/odata/Samples(${String(id)})/${name}`);
        const text = memberText(entity.text, name);
        if (text === "null") {
          expectAnswer(answer, { status: 204, headers: EMPTY_HEADERS, body: "" });
          continue;
        }
        const context = `${ORIGIN}/odata/$metadata#Samples(${String(id)})/${name}`;
        expectAnswer(answer, { body: `{"@odata.context":${JSON.stringify(context)},"value":${text}}` });
      }
    });

    test("Int64 and Decimal are strings if the client requests this", async () => {
      const accept = { Accept: "application/json;IEEE754Compatible=true" };
      const { text, headers } = await send("/odata/Samples(3)/Int64", accept);
      expect(headers["content-type"]).toBe("application/json;odata.metadata=minimal;IEEE754Compatible=true");
      expect(text.endsWith(`"value":"9223372036854775807"}`)).toBe(true);
    });

    test.each<readonly [name: string, type: string | undefined]>([
      ["Id", "#Int32"],
      ["Double", undefined],
      ["Colors", "#Collection(Kit.Color)"],
      ["Guid", "#Guid"],
    ])("odata.metadata=full annotates the type of %s if JSON does not show it", async (name, type) => {
      const answer = await send(`/odata/Samples(1)/${name}`, { Accept: "application/json;odata.metadata=full" });
      expect(answer.status).toBe(200);
      expect(answer.json["@odata.type"]).toBe(type);
    });

    test("odata.metadata=full: the string INF has its type as annotation; a complex value contains its type", async () => {
      const accept = { Accept: "application/json;odata.metadata=full" };
      expect((await send("/odata/Samples(5)/Double", accept)).json).toMatchObject({
        "@odata.type": "#Double",
        value: "INF",
      });
      const { json } = await send("/odata/Samples(1)/Home", accept);
      expect([json["@odata.type"], json.value["@odata.type"]]).toEqual([undefined, "#Kit.Address"]);
    });

    test("odata.metadata=none returns only the value", async () => {
      const { text } = await send("/odata/Samples(1)/Id", { Accept: "application/json;odata.metadata=none" });
      expect(text).toBe('{"value":1}');
    });
  });

  describe("/$value", () => {
    test.each(FIELDS)("%s", async (field) => {
      const name = nameOf(field);
      for (const row of SAMPLES) {
        const answer = await send(`/odata/Samples(${String(row.id)})/${name}/$value`);
        if (STRUCTURED.has(field)) {
          expectError(answer, { status: 400, code: "NotSupported", target: name });
          continue;
        }
        const { status, json } = await send(`/odata/Samples(${String(row.id)})/${name}`);
        if (status === 204) {
          expectError(answer, { status: 404, code: "NotFound" });
        } else if (BINARY.has(field)) {
          const bytes = Buffer.from(String(json.value), "base64url");
          expectAnswer(answer, {
            headers: { ...TEXT_HEADERS, "content-type": "application/octet-stream" },
            body: new TextDecoder().decode(bytes),
          });
        } else {
          const { text } = await send(`/odata/Samples(${String(row.id)})/${name}`);
          const value = memberText(text, "value");
          const shown = value.startsWith('"') ? (JSON.parse(value) as string) : value;
          expectAnswer(answer, { headers: TEXT_HEADERS, body: shown });
        }
      }
    });

    test.each(["text/plain", "application/json", "*/*", "text/*", "application/json;odata.metadata=minimal"])(
      "text is taken by Accept: %s",
      async (accept) => {
        expect((await send("/odata/Samples(1)/Text/$value", { Accept: accept })).status).toBe(200);
      },
    );

    test.each(["application/octet-stream", "application/*", "application/json", "*/*"])(
      "bytes are taken by Accept: %s",
      async (accept) => {
        expect((await send("/odata/Samples(1)/Binary/$value", { Accept: accept })).status).toBe(200);
      },
    );

    test("406 for formats that the client does not accept", async () => {
      const refused = { status: 406, code: "NotAcceptable", target: "Accept" };
      expectError(await send("/odata/Samples(1)/Text/$value", { Accept: "image/png" }), refused);
      expectError(await send("/odata/Samples(1)/Binary/$value", { Accept: "text/plain" }), refused);
      expectError(await send("/odata/Samples(1)/Text", { Accept: "text/plain" }), refused);
    });
  });

  describe("missing resources", () => {
    test.each([
      ["an entity", "/odata/Samples(99)/Text", { status: 404, code: "NotFound", message: /99/u }],
      ["an entity, raw", "/odata/Samples(99)/Text/$value", { status: 404, code: "NotFound", message: /99/u }],
      ["a property", "/odata/Samples(1)/Txt", { status: 404, code: "NotFound", message: /Text/u }],
      ["a property, raw", "/odata/Samples(1)/Nope/$value", { status: 404, code: "NotFound" }],
      ["an ignored property", "/odata/Samples(1)/Secret", { status: 404, code: "NotFound" }],
      ["letter case", "/odata/Samples(1)/text", { status: 404, code: "NotFound" }],
      ["more of a path", "/odata/Samples(1)/Home/City", { status: 404, code: "NotFound" }],
      ["a key", "/odata/Samples(x)/Text", { status: 400, code: "InvalidKey", target: "key" }],
    ])("%s", async (_, target, error) => {
      expectError(await send(target), error);
    });

    test.each(["$select=Id", "$expand=Parts", "$filter=true", "$top=1", "$foo=1"])(
      "query options: %s",
      async (query) => {
        const expected = { status: 400, code: "UnsupportedQueryOption", target: query.split("=")[0]! };
        expectError(await send(`/odata/Samples(1)/Text?${query}`), expected);
        expectError(await send(`/odata/Samples(1)/Text/$value?${query}`), expected);
      },
    );

    test("a set without reading by key, or without property access, has no such routes", async () => {
      const service = odataService({
        prefix: "/s",
        entitySets: [
          entitySet(Item, { name: "Unread", getAll: () => ITEMS }),
          entitySet(Item, { name: "Closed", getByKey: () => ITEMS[0]!, propertyAccessEnabled: false }),
        ],
        logger: noFailures,
      });
      const ask = door.to(service);
      for (const set of ["Unread", "Closed"]) {
        for (const path of ["Name", "Name/$value"]) {
          expectError(await ask(`/s/${set}(1)/${path}`), { status: 404, code: "NotFound" });
        }
      }
    });
  });

  describe("ETags", () => {
    const service = odataService({
      prefix: "/s",
      entitySets: [entitySet(Item, { etag: ["name"], getByKey: (key) => ITEMS.find(({ id }) => id === key) ?? null })],
      logger: noFailures,
    });
    const ask = door.to(service);

    test("the header is that of the entity, on 200, 204 and 304", async () => {
      const etag = (await ask("/s/Items(7)")).headers["etag"]!;
      const value = await ask("/s/Items(7)/Name");
      expectAnswer(value, {
        headers: { ...JSON_HEADERS, etag },
        body: { "@odata.context": `${ORIGIN}/s/$metadata#Items(7)/Name`, value: "Item 7" },
      });
      expectAnswer(await ask("/s/Items(7)/Rank"), { status: 204, headers: { ...EMPTY_HEADERS, etag }, body: "" });
      for (const tags of [etag, "*", `"x",W/${etag}`]) {
        const answer = await ask("/s/Items(7)/Name", { "If-None-Match": tags });
        expectAnswer(answer, { status: 304, headers: { ...EMPTY_HEADERS, etag, vary: VARY }, body: "" });
      }
      expect((await ask("/s/Items(7)/Name", { "If-None-Match": '"x"' })).status).toBe(200);
    });

    test("/$value neither sends nor checks it", async () => {
      expectAnswer(await ask("/s/Items(7)/Name/$value", { "If-None-Match": "*" }), {
        headers: TEXT_HEADERS,
        body: "Item 7",
      });
    });
  });

  test("HEAD is GET without a body, OPTIONS returns the methods", async () => {
    expectAnswer(await send("/odata/Samples(1)/Text", {}, "HEAD"), { body: "" });
    const { headers } = await send("/odata/Samples(1)/Text", {}, "OPTIONS");
    expect(headers["allow"]).toBe("GET, HEAD, OPTIONS");
  });

  test("returns the error of the handler; a value that is not of the type is a logged 500", async () => {
    const logger = recordingLogger();
    const Odd = entityType("Odd", { id: edm.int32().key(), day: edm.date() });
    const answers = new Map([
      [1, odataError(409, "Busy", "Later.")],
      [2, { id: 2, day: "no day" } as never],
    ]);
    const ask = door.to(
      odataService({
        prefix: "/s",
        entitySets: [entitySet(Odd, { getByKey: (key) => answers.get(key) ?? null })],
        logger,
      }),
    );
    expectError(await ask("/s/Odds(1)/Day"), { status: 409, code: "Busy" });
    expectError(await ask("/s/Odds(2)/Day"), { status: 500, code: "InternalServerError" });
    expectError(await ask("/s/Odds(2)/Day/$value"), { status: 500, code: "InternalServerError" });
    expect(logger.errors).toHaveLength(2);
  });

  test("a navigation property of the same path is not a structural property", async () => {
    const Leaf = entityType("Leaf", { id: edm.int32().key() });
    const Tree = entityType("Tree", { id: edm.int32().key() });
    const set = entitySet(Tree, {
      getByKey: () => ({ id: 1 }),
      navigation: { leaves: hasMany(Leaf, { get: () => [] }) },
    });
    const ask = door.to(odataService({ prefix: "/s", entitySets: [set], logger: noFailures }));
    expect((await ask("/s/Trees(1)/Leaves")).json.value).toEqual([]);
    expectError(await ask("/s/Trees(1)/Leaves/$value"), { status: 404, code: "NotFound" });
  });
});
