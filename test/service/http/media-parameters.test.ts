import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError, type HeaderTable, url } from "./doors.ts";
import { noFailures } from "./model.ts";

const Item = entityType("Item", { id: edm.int64().key(), data: edm.binary(), name: edm.string() });
const ITEMS = [{ id: 1n, data: new Uint8Array([1]), name: "a" }];

function items(profile: "specification" | "standard") {
  return odataService({
    prefix: "/s",
    profile,
    logger: noFailures,
    entitySets: [
      entitySet(Item, {
        getAll: () => ITEMS,
        getByKey: (id) => ITEMS.find((item) => item.id === id) ?? null,
        create: (item) => item,
      }),
    ],
  });
}

/** Parameters that no service of OData supports, or values that are impossible. */
const WRONG = [
  "odata=verbose",
  "odata=minimalmetadata",
  "foo=bar",
  "level=1",
  "odata.metadata=most",
  "odata.metadata",
  "metadata=most",
  "odata.streaming=maybe",
  "streaming=1",
  "IEEE754Compatible=yes",
  "ieee754compatible=",
  "charset=iso-8859-1",
  "odata.metadata=full;foo=bar",
  "exponentialdecimals=true",
];
const RIGHT = [
  "odata.metadata=full",
  'ODATA.Metadata="Minimal"',
  "odata.streaming=true",
  "odata.streaming=false",
  "IEEE754Compatible=true",
  "ieee754compatible=FALSE",
  "charset=utf-8",
  "charset=UTF-8;q=0.3",
  "q=0.5",
  "metadata=none",
  "streaming=true",
];
/** Each resource with the type that it has. */
const RESOURCES = [
  ["/s/Items", "application/json"],
  ["/s/Items(1)", "application/json"],
  ["/s/Items(1)/Name", "application/json"],
  ["/s/", "application/json"],
  ["/s/Items/$count", "text/plain"],
  ["/s/Items(1)/Name/$value", "text/plain"],
  ["/s/Items(1)/Data/$value", "application/octet-stream"],
] as const;

eachDoor((door) => {
  const standard = door.to(items("standard"));
  const specified = door.to(items("specification"));
  const accept = (text: string): HeaderTable => ({ Accept: text });

  describe.each(RESOURCES)("Accept of %s", (path, type) => {
    test.each(WRONG)("%s makes the range unacceptable in the standard profile", async (parameter) => {
      expectError(await standard(path, accept(`${type};${parameter}`)), {
        status: 406,
        code: "NotAcceptable",
        target: "Accept",
      });
      // Another range decides.
      const other = await standard(path, accept(`${type};${parameter}, */*;q=0.1`));
      expect(other.status).toBe(200);
      expect(other.headers["content-type"]).not.toContain("full");
    });

    test.each(RIGHT)("%s is accepted in both profiles", async (parameter) => {
      for (const send of [standard, specified]) {
        expect((await send(path, accept(`${type};${parameter}`))).status).toBe(200);
      }
    });

    test("the default profile ignores unknown parameters", async () => {
      for (const parameter of ["odata=verbose", "foo=bar", "metadata=most", "IEEE754Compatible=yes"]) {
        expect((await specified(path, accept(`${type};${parameter}`))).status).toBe(200);
      }
    });
  });

  test.each([
    ["application/json;foo=bar", "foo=bar"],
    ["text/html, application/json;odata.metadata=full;odata=verbose;level=1", "odata=verbose"],
    [`*/*;${"x".repeat(50)}`, `${"x".repeat(40)}…`],
  ])("406 names the parameter: %s", async (text, parameter) => {
    for (const [path, type] of RESOURCES) {
      const { json } = await standard(path, accept(text));
      expect(json.error.message).toBe(
        `This resource has the type ${type}, which the Accept header asks for with the parameter ${parameter}. This service does not support it. Use odata.metadata=none, minimal or full, odata.streaming and IEEE754Compatible with true or false, or charset=utf-8.`,
      );
    }
    for (const other of ["text/html;foo=bar", "application/json;foo=bar;q=0, text/html"]) {
      const { json } = await standard("/s/Items", accept(other));
      expect(json.error.message).toBe("This resource has the type application/json, which the Accept header excludes.");
    }
    const format = await standard(url("/s/Items", { $format: "json;foo=bar" }));
    expect(format.json.error.message).toMatch(
      /^\$format has the parameter foo=bar, which this service does not support\./u,
    );
  });

  describe("$format in the standard profile", () => {
    test.each(WRONG)("application/json;%s is 406", async (parameter) => {
      for (const type of ["application/json", "json"]) {
        for (const path of ["/s/Items", "/s/Items/$count", "/s/$metadata"]) {
          expectError(await standard(url(path, { $format: `${type};${parameter}` })), {
            status: 406,
            code: "NotAcceptable",
            target: "$format",
          });
        }
      }
    });

    test.each(RIGHT)("application/json;%s is accepted", async (parameter) => {
      expect((await standard(url("/s/Items", { $format: `application/json;${parameter}` }))).status).toBe(200);
    });

    test("another type stays 400, and XML of $metadata follows the same rule", async () => {
      expectError(await standard("/s/Items?$format=atom"), {
        status: 400,
        code: "UnsupportedFormat",
        target: "$format",
      });
      expect((await standard("/s/$metadata?$format=application/xml;charset=utf-8")).status).toBe(200);
      expect((await standard("/s/$metadata?$format=xml;foo=bar")).status).toBe(406);
    });

    test("the default profile ignores unknown parameters, and rejects an unknown odata.metadata", async () => {
      expect((await specified("/s/Items?$format=application/json;foo=bar")).status).toBe(200);
      const most = await specified("/s/Items?$format=application/json;odata.metadata=most");
      expectError(most, { status: 400, code: "UnsupportedFormat", target: "$format" });
    });
  });

  test("the names without a prefix mean the same in the standard profile, and nothing by default", async () => {
    const full = "application/json;odata.metadata=full;odata.streaming=true";
    const sent = accept("application/json;metadata=full;streaming=true");
    expect((await standard("/s/Items", sent)).headers["content-type"]).toBe(full);
    expect((await specified("/s/Items", sent)).headers["content-type"]).toBe("application/json;odata.metadata=minimal");
  });

  test("$metadata stays XML for every Accept, and Content-Type stays lenient", async () => {
    const metadata = await standard("/s/$metadata", accept("application/json;odata=verbose"));
    expect({ status: metadata.status, type: metadata.headers["content-type"] }).toEqual({
      status: 200,
      type: "application/xml",
    });
    const headers = { "Content-Type": "application/json;odata=verbose;foo=bar" };
    const body = '{"Id":2,"Data":"AQ==","Name":"b"}';
    expect((await standard("/s/Items", headers, "POST", body)).status).toBe(201);
  });

  test("Power Query reads in the standard profile", async () => {
    const header =
      "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7";
    for (const path of ["/s/", "/s/Items", "/s/Items/$count", "/s/$metadata"]) {
      expect((await standard(path, accept(header))).status).toBe(200);
    }
  });
});
