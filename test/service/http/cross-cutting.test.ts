import { action, edm, entitySet, fn, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { type Answer, eachDoor, EMPTY_HEADERS, expectAnswer, expectError, JSON_HEADERS } from "./doors.ts";
import { Item, ITEM_FORMS, ITEMS, noFailures } from "./model.ts";

const service = odataService({
  prefix: "/s",
  logger: noFailures,
  entitySets: [
    entitySet(Item, { ...ITEM_FORMS.queryable, getByKey: (key) => ITEMS.find(({ id }) => id === key) ?? null }),
    entitySet(Item, { name: "Unkeyed", ...ITEM_FORMS["get-all"] }),
    entitySet(Item, { name: "Keyed", getByKey: () => null, create: (item) => ({ ...item, id: 1 }) }),
  ],
  functions: { greet: fn({ returns: edm.string(), handler: () => "hello" }) },
  actions: { ping: action({ handler: () => {} }) },
});

/** Every route of this service, and paths without a route. */
const FOUND = ["/s", "/s/", "/s/$metadata", "/s/Items", "/s/Items/", "/s/Items/$count", "/s/Items(1)", "/s/Unkeyed"];
const MISSING = [
  "/s/Nope",
  "/s/Items(1)/Nope",
  "/s/Items(99)",
  "/s/Unkeyed(1)",
  "/s/Keyed/$count",
  "/",
  "/other",
  "/s/$nope",
];

eachDoor((door) => {
  const send = door.to(service);

  describe("rule 1: OData-MaxVersion", () => {
    const ACCEPTED = ["4.0", " 4.0 ", "4 . 0", "4.01", "4.1", "5.0", "10.0", "4.0;NetFx", "4.0; x=y", "04.00"];
    const REFUSED = [
      "3.0",
      "2.0",
      "0.0",
      "3.99",
      "1",
      "4",
      "x",
      "4.0.0",
      "-4.0",
      "4,0",
      "4.x",
      "4.",
      ".0",
      "NaN",
      "",
      "v4.0",
    ];

    test.each([...FOUND, "/s/Nope"])("%s", async (path) => {
      const plain = await send(path);
      const accepted = await Promise.all(ACCEPTED.map((version) => send(path, { "OData-MaxVersion": version })));
      expect(accepted).toEqual(accepted.map(() => plain));
      for (const answer of accepted) expect(answer.headers).not.toHaveProperty("odata-maxversion");
      for (const version of REFUSED) {
        const answer = await send(path, { "OData-MaxVersion": version });
        expectError(answer, {
          status: 400,
          code: "UnsupportedODataVersion",
          target: "OData-MaxVersion",
          message: /4\.0/u,
        });
      }
    });

    test.each(["POST", "PUT", "PATCH", "DELETE", "HEAD"])("with %s too", async (method) => {
      const answer = await send("/s/Items", { "OData-MaxVersion": "3.0" }, method);
      expect(answer.status).toBe(400);
    });

    test("OData-Version and the version headers of older protocols do not matter", async () => {
      const headers = { "OData-Version": "4.0", MaxDataServiceVersion: "3.0", DataServiceVersion: "1.0" };
      expect((await send("/s/Items", headers)).status).toBe(200);
    });
  });

  describe("rule 2: $format", () => {
    const JSON_PATHS = ["/s", "/s/Items", "/s/Items(1)", "/s/Unkeyed"];
    const REFUSED = [
      "xml",
      "atom",
      "application/xml",
      "text/plain",
      "",
      "JSON5",
      "application/json;odata.metadata=most",
      "json,xml",
      "*/*",
    ];

    test.each([...FOUND])("refused at %s", async (path) => {
      for (const format of REFUSED) {
        const answer = await send(`${path}?$format=${encodeURIComponent(format)}`);
        expectError(answer, { status: 400, code: "UnsupportedFormat", target: "$format", message: /json/u });
      }
    });

    test.each(JSON_PATHS)("json at %s", async (path) => {
      const plain = await send(path);
      for (const format of ["json", "application/json", "application/json;odata.metadata=minimal"]) {
        expect(await send(`${path}?$format=${encodeURIComponent(format)}`), format).toEqual(plain);
      }
    });

    test.each(JSON_PATHS)("$format overrides Accept at %s", async (path) => {
      const answer = await send(`${path}?$format=json`, { Accept: "application/atom+xml" });
      expectAnswer(answer, { body: (await send(path)).text });
    });

    test("twice is 400", async () => {
      const answer = await send("/s/Items?$format=json&$format=json");
      expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$format" });
    });
  });

  describe("rule 3: Accept", () => {
    const NOT_JSON = [
      "application/xml",
      "text/html",
      "application/atom+xml;type=feed",
      "text/html, image/*",
      "application/json;q=0",
      "*/*;q=0",
      "text/*",
      "application/json;odata.metadata=most",
      "jsonp",
    ];

    test.each(["/s", "/s/Items", "/s/Items(1)", "/s/Unkeyed"])("406 at %s", async (path) => {
      for (const accept of NOT_JSON) {
        expectError(await send(path, { Accept: accept }), { status: 406, code: "NotAcceptable", target: "Accept" });
      }
    });

    test.each(["image/png", "text/html", "text/plain;q=0, application/json;q=0"])(
      "406 at /$count: %s",
      async (accept) => {
        expectError(await send("/s/Items/$count", { Accept: accept }), {
          status: 406,
          code: "NotAcceptable",
          target: "Accept",
        });
      },
    );

    test.each([...NOT_JSON, "application/json", "*/*", "text/plain"])(
      "$metadata is XML whatever Accept says: %s",
      async (accept) => {
        const answer = await send("/s/$metadata", { Accept: accept });
        expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/xml"]);
      },
    );

    test("an error is JSON whatever Accept says", async () => {
      expectError(await send("/s/Nope", { Accept: "text/html" }), { status: 404, code: "NotFound" });
    });
  });

  describe("every response carries OData-Version exactly once", () => {
    // Asserted by `send` for each answer of this suite; these are the ones that no handler makes.
    test.each(
      [...FOUND, ...MISSING].flatMap((path) =>
        ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"].map((method) => [method, path]),
      ),
    )("%s %s", async (method, path) => {
      const answer = await send(path, {}, method);
      expect(answer.headers["odata-version"]).toBe("4.0");
      if (door.name === "node") {
        expect(answer.headerNames.filter((name) => name.toLowerCase() === "odata-version")).toEqual(["OData-Version"]);
      }
      if (answer.status >= 400 && method !== "HEAD") expect(answer.json).toHaveProperty("error.code");
    });
  });

  describe("HEAD returns the response of GET without a body", () => {
    test.each([...FOUND, ...MISSING, "/s/Items?$top=x", "/s/Items?$format=xml"])("%s", async (path) => {
      const { status, headers }: Answer = await send(path);
      expect(await send(path, {}, "HEAD")).toMatchObject({ status, headers, text: "" });
    });
  });

  describe("OPTIONS returns 204 with Allow", () => {
    test.each([
      ["/s", "GET, HEAD, OPTIONS"],
      ["/s/$metadata", "GET, HEAD, OPTIONS"],
      ["/s/Items", "GET, HEAD, OPTIONS"],
      ["/s/Items/$count", "GET, HEAD, OPTIONS"],
      ["/s/Items(1)", "GET, HEAD, OPTIONS"],
      ["/s/Keyed", "POST, OPTIONS"],
      ["/s/greet", "GET, HEAD, OPTIONS"],
      ["/s/ping", "POST, OPTIONS"],
    ])("%s allows %s", async (path, allowed) => {
      const answer = await send(path, {}, "OPTIONS");
      const { allow, ...headers } = answer.headers;
      expect({ status: answer.status, headers, text: answer.text }).toEqual({
        status: 204,
        headers: EMPTY_HEADERS,
        text: "",
      });
      expect(allow?.split(/, */u).toSorted()).toEqual(allowed.split(", ").toSorted());
    });

    test.each(MISSING.filter((path) => path !== "/s/Items(99)"))("404 at %s", async (path) => {
      expectError(await send(path, {}, "OPTIONS"), { status: 404, code: "NotFound" });
    });
  });

  test("node sends header names in their documented spelling", async () => {
    // Fetch and Fastify write names in lower case.
    if (door.name !== "node" && door.name !== "express") return;
    const { headerNames } = await send("/s/Items", { Prefer: "maxpagesize=1" });
    expect(headerNames).toEqual(
      expect.arrayContaining(["OData-Version", "Content-Type", "Preference-Applied", "Vary"]),
    );
    const error = await send("/s/Items", {}, "DELETE");
    expect(error.headerNames).toEqual(expect.arrayContaining(["OData-Version", "Content-Language", "Allow"]));
  });

  test("unknown request headers do not matter", async () => {
    const answer = await send("/s/Items?$top=0", {
      "X-CSRF-Token": "Fetch",
      "sap-cancel-on-close": "true",
      "Accept-Language": "de",
    });
    expectAnswer(answer, { headers: JSON_HEADERS, body: { "@odata.context": expect.any(String), value: [] } });
  });
});
