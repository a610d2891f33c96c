import { describe, expect, test } from "vitest";
import { faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";
import { annotated, faultsOf, jsonOf, thingXml, xmlOf } from "./annotation-model.ts";

const CASE = { $Path: "name" };

describe("an explicit form fits the type of its term", () => {
  test.each<[string, unknown, string]>([
    ["a text for a Boolean", { "UI.Hidden": { $String: "x" } }, "cannot be { $String }. Give { $Bool: … }."],
    ["a number for a text", { "Core.Description": { $Int: 5 } }, "cannot be { $Int }. Give { $String: … }."],
    ["a Boolean for a collection", { "UI.LineItem": { $Bool: true } }, "cannot be { $Bool }. Give an array."],
    [
      "a text for a record",
      { "UI.HeaderInfo": { $String: "x" } },
      "Give an object: the properties of UI.HeaderInfoType.",
    ],
    [
      "a text for a member",
      { "UI.Importance": { $String: "High" } },
      "cannot be { $String }. Give { $EnumMember: … }.",
    ],
    [
      "a member of another enumeration",
      { "UI.TextArrangement": { $EnumMember: "UI.ImportanceType/High" } },
      "has a member of UI.ImportanceType. Give a member of UI.TextArrangementType.",
    ],
    ["a value for a path", { "UI.SelectionFields": [CASE] }, "cannot be { $Path }. Give a text with the path"],
    [
      "a number for an operation",
      { "UI.LineItem": [{ "@type": "UI.DataFieldForAction", Action: { $Int: 1 } }] },
      "Give { $String: … }.",
    ],
    [
      "a number for a path of a value list",
      {
        "Common.ValueList": {
          CollectionPath: "Customers",
          Parameters: [{ "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: { $Int: 1 } }],
        },
      },
      "Give { $String: … }.",
    ],
    [
      "an ignored property of a value list",
      {
        "Common.ValueList": {
          CollectionPath: "Customers",
          Parameters: [{ "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: { $String: "secret" } }],
        },
      },
      "Customer has no property `secret` that clients see.",
    ],
    [
      "a wrong operation",
      { "UI.LineItem": [{ "@type": "UI.DataFieldForAction", Action: { $String: "nope" } }] },
      "names no operation",
    ],
    ["a number out of its range", { "Measures.Scale": { $Int: 300 } }, "Give a number of Edm.Byte."],
  ])("rejects %s", (_, annotations, message) => {
    expect(faultsOf(annotations).join("\n")).toContain(message);
  });

  test.each<[string, unknown]>([
    ["a text", { "Core.Description": { $String: "x" } }],
    ["a Boolean", { "UI.Hidden": { $Bool: false } }],
    ["a small number", { "Measures.Scale": { $Int: 3 } }],
    ["a member", { "UI.Importance": { $EnumMember: "com.sap.vocabularies.UI.v1.ImportanceType/High" } }],
    ["a value of a property", { "UI.Criticality": { $Path: "status" }, "UI.HeaderInfo": { $Path: "place" } }],
    ["a whole number for a double", { "UI.GeoLocation": { Latitude: { $Int: 1 }, Longitude: { $Decimal: "1.5" } } }],
    ["a path", { "UI.SelectionFields": [{ $PropertyPath: "name" }] }],
    [
      "a text in a value list of another service",
      {
        "Common.ValueList": {
          CollectionPath: "Abroad",
          CollectionRoot: "/x",
          Parameters: [{ "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: "Any" }],
        },
      },
    ],
  ])("accepts %s", async (_, annotations) => {
    expect(faultsOf(annotations)).toEqual([]);
    expect(await faultsOfSchema(await xmlOf(annotated(annotations)))).toEqual([]);
  });
});

describe("the startup rejects a value", () => {
  test.each<[string, unknown, string]>([
    ["that is a collection of collections", { "X.L": [[1, 2], [3]] }, "Give a single value."],
    [
      "with several members without flags",
      { "UI.Importance": "High,Low" },
      "has several members of UI.ImportanceType.",
    ],
    ["with several own members without flags", { "X.E": { $EnumMember: "Shop.Status/Draft,Paid" } }, "Shop.Status."],
    [
      "with a wrong member of an unknown type",
      { "X.E": { $EnumMember: "X.Color/a-b" } },
      "it is a value of the enumeration X.Color.",
    ],
    [
      "that a byte cannot hold",
      { "Measures.Scale": 300 },
      "`Measures.Scale` of the type Thing cannot be 300. Give a number of Edm.Byte.",
    ],
    ["that an integer cannot hold", { "X.A": 2n ** 70n }, "Give a number of Edm.Int64."],
    ["of an unknown type of the service", { "X.R": { "@type": "Shop.Nope", a: 1 } }, 'has the type "Shop.Nope"'],
    [
      "with an unknown property of a type of the service",
      { "X.R": { "@type": "Shop.Address", town: "x" } },
      "has the property `town`, which Address does not have.",
    ],
    [
      "with an ignored property of a type of the service",
      { "X.R": { "@type": "Shop.Thing", hidden: "x" } },
      "has the property `hidden`, which Thing does not have.",
    ],
    [
      "with a property that is not an identifier",
      { "X.P": { "my-prop": 1 } },
      "has the property `my-prop`, which is not an identifier.",
    ],
    ["with a property without a name", { "X.P": { "": 1 } }, "has the property ``, which is not an identifier."],
    ["that contains itself", { "X.A": circular() }, "The annotations of the type Thing contain themselves."],
    ["that is nested too deeply", { "X.A": nested(300) }, "are nested deeper than 200 levels."],
    [
      "of an abstract type",
      { "UI.LineItem": [{ Label: "x" }] },
      "`UI.LineItem/0` of the type Thing needs `@type`, since UI.DataFieldAbstract is abstract. Give one of UI.DataField",
    ],
    [
      "of a stated abstract type",
      { "UI.LineItem": [{ "@type": "UI.DataFieldAbstract" }] },
      "has the abstract type UI.DataFieldAbstract.",
    ],
    ["without properties of an abstract type", { "UI.Facets": [{}] }, "since UI.Facet is abstract."],
    [
      "of an abstract type without derived types",
      { "X.R": { "@type": "UI.PropertyRecommendationType" } },
      "No type of the vocabulary derives from it.",
    ],
    [
      "with an unknown set of recommendations",
      { "UI.RecommendationList": { CollectionPath: "Nope", Binding: [] } },
      'names the CollectionPath "Nope"',
    ],
    [
      "with a rank that clients do not see",
      { "UI.RecommendationList": { CollectionPath: "Customers", RankProperty: "secret" } },
      "Customer has no property `secret`",
    ],
    [
      "with the entities of no function",
      { "Common.ValueList": { CollectionPath: "worst()", Parameters: [] } },
      'names the CollectionPath "worst()"',
    ],
    [
      "with the text of a function",
      { "Common.ValueList": { CollectionPath: "now()", Parameters: [] } },
      'names the CollectionPath "now()"',
    ],
  ])("%s", (_, annotations, message) => {
    expect(faultsOf(annotations).join("\n")).toContain(message);
  });
});

describe("a value is written", () => {
  test.each<[string, unknown, string]>([
    [
      "with several flags",
      { "Communication.Contact": { tel: [{ type: "work, cell", uri: "x" }] } },
      'EnumMember="Communication.PhoneType/work Communication.PhoneType/cell"',
    ],
    [
      "with several own flags",
      { "X.E": { $EnumMember: "Shop.Rights/Read,Write" } },
      "<EnumMember>Shop.Rights/Read Shop.Rights/Write</EnumMember>",
    ],
    ["with the greatest integer", { "X.A": 2n ** 63n - 1n }, 'Int="9223372036854775807"'],
    [
      "with bytes and a date",
      { "X.A": [{ $Binary: new Uint8Array([1, 2]) }, { $DateTimeOffset: new Date(0) }] },
      "<Binary>AQI</Binary><DateTimeOffset>1970-01-01T00:00:00",
    ],
    ["with the greatest byte", { "Measures.Scale": 255 }, 'Int="255"'],
    [
      "with wire names of a type of the service",
      { "X.R": { "@type": "Shop.Thing", "first.name": "x", Place: { city: 1 } } },
      '<Record Type="Shop.Thing"><PropertyValue Property="FirstName" String="x"/><PropertyValue Property="Place">',
    ],
    [
      "with the empty path for the element itself",
      { "Common.SideEffects": { SourceEntities: [""], TargetEntities: ["customer", ""] } },
      "<NavigationPropertyPath>Customer</NavigationPropertyPath><NavigationPropertyPath></NavigationPropertyPath>",
    ],
    [
      "with the properties of recommended entities",
      {
        "UI.RecommendationList": {
          CollectionPath: "Customers",
          RankProperty: "id",
          Binding: [{ LocalDataProperty: "name", ValueListProperty: "name" }],
        },
      },
      '<PropertyValue Property="RankProperty" String="Id"/>',
    ],
    [
      "with the entities of a function",
      {
        "Common.ValueList": {
          CollectionPath: "best()",
          Parameters: [{ "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: "name" }],
        },
      },
      '<PropertyValue Property="ValueListProperty" String="Name"/>',
    ],
    [
      "that stands twice",
      (() => {
        const shared = { a: 1 };
        return { "X.A": [shared, shared] };
      })(),
      '<Record><PropertyValue Property="a" Int="1"/></Record><Record>',
    ],
  ])("%s", async (_, annotations, part) => {
    expect(await thingXml(annotations)).toContain(part);
    const xml = await xmlOf(annotated(annotations));
    expect(await faultsOfSchema(xml)).toEqual([]);
    expect(() => readCsdl(xml)).not.toThrow();
  });
});

describe("metadata as JSON", () => {
  const thing = async (annotations: unknown): Promise<Readonly<Record<string, unknown>>> =>
    (await jsonOf(annotated(annotations)))["Shop"]?.["Thing"] ?? {};

  test.each<[string, unknown]>([
    ["0.12345678901234567890", "0.12345678901234567890"],
    ["12345678901234567.89", "12345678901234567.89"],
    ["100000000000000000000.5", "100000000000000000000.5"],
    ["0.1", 0.1],
    ["1.50", 1.5],
    ["-0012.500", -12.5],
    ["0.000", 0],
    ["1000", 1000],
  ])("has the decimal %s without a loss", async (decimal, value) => {
    expect((await thing({ "X.A": { $Decimal: decimal } }))["@X.A"]).toEqual(value);
  });

  test("has numbers with an exponent", async () => {
    const {
      "@X.A": small,
      "@X.B": large,
      "@X.C": infinite,
    } = await thing({
      "X.A": { $Float: 1e-7 },
      "X.B": 1e300,
      "X.C": { $Float: -Infinity },
    });
    expect([small, large, infinite]).toEqual([1e-7, 1e300, "-INF"]);
  });

  test("states the type of a member where no term declares it", async () => {
    const own = { $EnumMember: "Shop.Status/Paid" };
    const document = await thing({
      "X.E": own,
      "X.R": { a: own },
      "X.L": [own],
      "UI.DataPoint": { Value: own },
      "UI.Importance": "High",
      "UI.TextArrangement": { $EnumMember: "UI.TextArrangementType/TextOnly" },
    });
    const stated = { $Cast: "Paid", $Type: "Shop.Status" };
    expect(document).toMatchObject({
      "@X.E": stated,
      "@X.R": { a: stated },
      "@X.L": [stated],
      "@UI.DataPoint": { Value: stated },
      "@UI.Importance": "High",
      "@UI.TextArrangement": "TextOnly",
    });
  });

  test("has the characters of the XML", async () => {
    const annotations = { "Common.Label": "a\u0001b\uD800c\uFFFEd\te\r\nf\u0085g" };
    const label = (await thing(annotations))["@Common.Label"];
    expect(label).toBe("a\uFFFDb\uFFFDc\uFFFDd\te\r\nf\u0085g");
    expect(await thingXml(annotations)).toContain('"a\uFFFDb\uFFFDc\uFFFDd&#9;e&#13;&#10;f\u0085g"');
  });
});

function circular(): object {
  const value: Record<string, unknown> = {};
  value["self"] = [value];
  return value;
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}
