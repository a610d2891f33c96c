import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, VARY, XML_HEADERS } from "./doors.ts";
import { Item, ITEMS, noFailures, sampleService } from "./model.ts";

const PATH = "/odata/$metadata";

/** The elements of a document as a list of start tags, attributes in order of their names. */
function tagsOf(xml: string): string[] {
  return [...xml.matchAll(/<([A-Za-z:]+)((?:\s+[\w:.]+="[^"]*")*)\s*\/?>/gu)].map(([, name = "", attributes = ""]) =>
    [name, ...[...attributes.matchAll(/[\w:.]+="[^"]*"/gu)].map(String).toSorted()].join(" "),
  );
}

eachDoor((door) => {
  const send = door.to(sampleService);

  test("is XML with an ETag", async () => {
    const answer = await send(PATH);
    expectAnswer(answer, {
      headers: { ...XML_HEADERS, etag: expect.stringMatching(/^(?:W\/)?"[!#-~]+"$/u) as never },
      body: expect.stringMatching(/^<\?xml version="1\.0" encoding="utf-8"\?>\s*<edmx:Edmx /iu),
    });
    expect((await send(PATH)).headers["etag"]).toBe(answer.headers["etag"]);
  });

  test("If-None-Match returns 304 without a body, with the headers that a cache needs", async () => {
    const { etag = "" } = (await send(PATH)).headers;
    const headers = { ...EMPTY_HEADERS, etag, vary: VARY };
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag} , "y"`, "*"]) {
      expectAnswer(await send(PATH, { "If-None-Match": tags }), { status: 304, headers, body: "" });
    }
    for (const tags of ['"x"', '"x", "y"', etag.slice(1, -1), ""]) {
      expect((await send(PATH, { "If-None-Match": tags })).status, tags).toBe(200);
    }
    expectAnswer(await send(PATH, { "If-None-Match": etag }, "HEAD"), { status: 304, headers, body: "" });
  });

  test("another model has another ETag", async () => {
    const other = odataService({
      prefix: "/odata",
      entitySets: [entitySet(Item, { getAll: () => ITEMS })],
      logger: noFailures,
    });
    expect((await door.to(other)(PATH)).headers["etag"]).not.toBe((await send(PATH)).headers["etag"]);
  });

  test.each(["json", "application/json", "application/json;odata.metadata=full"])(
    "a valid $format changes nothing: %s",
    async (format) => {
      expect(await send(`${PATH}?$format=${format}`)).toEqual(await send(PATH));
    },
  );

  test.each(["xml", "application/xml"])("$format=%s returns 400, as everywhere", async (format) => {
    expectError(await send(`${PATH}?$format=${format}`), { status: 400, code: "UnsupportedFormat", target: "$format" });
  });

  test("accepts custom options, but no system query option", async () => {
    expect((await send(`${PATH}?sap-client=100&x`)).status).toBe(200);
    expectError(await send(`${PATH}?$top=1`), { status: 400, code: "UnsupportedQueryOption", target: "$top" });
  });

  describe("content", () => {
    const tags = async () => tagsOf((await send(PATH)).text);

    test("is one schema with one container", async () => {
      const found = await tags();
      expect(found[0]).toMatch(/^edmx:Edmx Version="4\.0" xmlns:edmx=/u);
      expect(found.filter((tag) => tag.startsWith("Schema "))).toEqual([expect.stringContaining('Namespace="Kit"')]);
      expect(found.filter((tag) => tag.startsWith("EntityContainer "))).toEqual(['EntityContainer Name="Container"']);
    });

    test("describes every type by its wire names", async () => {
      expect(await tags()).toEqual(
        expect.arrayContaining([
          'EntityType Name="Sample"',
          "Key",
          'PropertyRef Name="Id"',
          'Property Name="Id" Nullable="false" Type="Edm.Int32"',
          'Property MaxLength="40" Name="Text" Nullable="false" Type="Edm.String"',
          'Property Name="Decimal" Nullable="false" Precision="20" Scale="4" Type="Edm.Decimal"',
          'Property Name="Amount" Nullable="false" Scale="variable" Type="Edm.Decimal"',
          'Property Name="DateTimeOffset" Nullable="false" Precision="12" Type="Edm.DateTimeOffset"',
          'Property Name="TimeOfDay" Nullable="false" Precision="12" Type="Edm.TimeOfDay"',
          'Property Name="Color" Nullable="false" Type="Kit.Color"',
          'Property Name="Home" Nullable="false" Type="Kit.Address"',
          'Property Name="Texts" Nullable="false" Type="Collection(Edm.String)"',
          'Property Name="Homes" Nullable="false" Type="Collection(Kit.Address)"',
          'ComplexType Name="Address"',
          'ComplexType Name="Position"',
          'EnumType Name="Color"',
          'EnumType IsFlags="true" Name="Access"',
          'Member Name="Execute" Value="4"',
          'EntitySet EntityType="Kit.Sample" Name="Samples"',
          'EntitySet EntityType="Kit.Part" Name="Parts"',
          'NavigationPropertyBinding Path="Parts" Target="Parts"',
        ]),
      );
    });

    test("a nullable property has no Nullable=false", async () => {
      const found = await tags();
      for (const name of ["MaybeText", "MaybeInt32", "MaybeHome", "remark"]) {
        const tag = found.find(
          (candidate) => candidate.startsWith("Property ") && candidate.includes(`Name="${name}"`),
        );
        expect(tag, name).toBeDefined();
        expect(tag).not.toContain('Nullable="false"');
      }
    });

    test("omits ignored properties", async () => {
      expect((await send(PATH)).text).not.toMatch(/secret|alarmcode/iu);
    });

    test("is well-formed: every element is closed in order", async () => {
      const { text } = await send(PATH);
      const open: string[] = [];
      for (const [, slash, name = "", empty] of text.matchAll(/<(\/?)([A-Za-z:]+)[^>]*?(\/?)>/gu)) {
        if (slash === "/") expect(open.pop()).toBe(name);
        else if (empty === "") open.push(name);
      }
      expect(open).toEqual([]);
    });

    test("escapes values of the model", async () => {
      const Odd = entityType("Odd", {
        id: edm.string().key(),
        note: edm.string().default(`]]>"<&'\t\u0001é`).describe(`<b>"bold" & 'more'</b> ]]>`),
      });
      const service = odataService({
        prefix: "/odata",
        entitySets: [entitySet(Odd, { getAll: () => [] })],
        logger: noFailures,
      });
      const { status, text } = await door.to(service)(PATH);
      expect(status).toBe(200);
      expect(text).not.toContain("<b>");
      expect(text).not.toContain("\u0001");
      expect(text).toContain("&lt;b&gt;");
    });

    test("names follow the naming of the service: camelCase, asDeclared", async () => {
      for (const propertyNaming of ["camelCase", "asDeclared"] as const) {
        const service = odataService({
          prefix: "/odata",
          propertyNaming,
          entitySets: [entitySet(Item, { getAll: () => ITEMS })],
          logger: noFailures,
        });
        expect(tagsOf((await door.to(service)(PATH)).text)).toEqual(
          expect.arrayContaining(['PropertyRef Name="id"', 'Property Name="place" Type="Default.Position"']),
        );
      }
    });
  });
});
