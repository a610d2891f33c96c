import { describe, expect, test } from "vitest";
import { FUNCTION_SIGNATURES } from "../../../src/edm/canonical-functions.ts";
import type { Model, StructuralProperty } from "../../../src/edm/model.ts";
import type { CsdlCapabilities } from "../../../src/payload/csdl/write-capabilities.ts";
import { writeCsdlXml } from "../../../src/payload/csdl/write-csdl-xml.ts";
import { everything } from "../../language/binder/model.ts";
import { entitySet, entityType, enumType, model, property } from "../model.ts";
import { faultsOfSchema, readCsdl } from "./validate-csdl.ts";

const QUERY: CsdlCapabilities["query"] = { ...everything, searchEnabled: true, maxTop: 1000 };
const EVERY_NAVIGATION = new Set(
  [...model.entityContainer.entitySets.values()].flatMap((set) => [...set.navigationProperties.keys()]),
);
const ALL: CsdlCapabilities = {
  query: QUERY,
  readable: true,
  readableByKey: true,
  navigable: EVERY_NAVIGATION,
  expandable: EVERY_NAVIGATION,
  maxExpandDepth: 3,
  shown: true,
  insertable: true,
  insertableAlong: new Map(),
  patchable: true,
  replaceable: true,
  deletable: true,
};
/** The capabilities of a read-only service without navigation and search. */
const READ_ONLY: CsdlCapabilities = {
  ...ALL,
  query: { ...QUERY, expandEnabled: false, searchEnabled: false },
  navigable: new Set(),
  insertable: false,
  patchable: false,
  replaceable: false,
  deletable: false,
};

/** A model with one entity type: a key and one further property. */
function modelOf(...properties: readonly StructuralProperty[]): Model {
  const thing = entityType("Thing", [property("Id", "Edm.Int32", { isKey: true }), ...properties]);
  return {
    ...model,
    entityContainer: {
      ...model.entityContainer,
      entitySets: new Map([["Things", entitySet("Things", thing)]]),
      functionImports: new Map(),
      actionImports: new Map(),
    },
    entityTypes: new Map([["Thing", thing]]),
    operations: [],
  };
}

const lineWith = (xml: string, text: string): string =>
  xml.split(/(?<=>)(?=<)/u).find((tag) => tag.includes(text)) ?? "";

describe("the metadata document", () => {
  const xml = writeCsdlXml(model, () => ALL);

  test("is UTF-8 XML of version 4.0 with one schema, and includes both vocabularies", () => {
    expect(xml.startsWith('<?xml version="1.0" encoding="utf-8"?><edmx:Edmx ')).toBe(true);
    expect(xml).toContain('<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">');
    expect(xml.match(/<Schema /g)).toHaveLength(1);
    for (const name of ["Org.OData.Core.V1", "Org.OData.Capabilities.V1"]) {
      expect(xml).toContain(`<edmx:Include Namespace="${name}"/>`);
    }
    expect(xml.endsWith("</edmx:Edmx>")).toBe(true);
    // White space between elements would be a third of the document.
    expect(xml).not.toMatch(/>\s+</u);
  });

  test.each([
    ["with everything", xml],
    ["of a service that only reads", writeCsdlXml(model, () => READ_ONLY)],
    ["of one property", writeCsdlXml(modelOf(property("Name", "Edm.String")), () => ALL)],
    [
      "with texts that XML must escape",
      writeCsdlXml(
        modelOf(
          property("Name", "Edm.String", { description: "a]]>b & <c> \"d\" 'e' \u0000\u0007\uD800 \t\n\r\u0085 😀" }),
        ),
        () => ALL,
      ),
    ],
  ])("%s is valid against the schemas of OASIS", async (_, document) => {
    expect(await faultsOfSchema(document)).toEqual([]);
  });

  test("an invalid document fails this check", async () => {
    expect(await faultsOfSchema(xml.replace("<Key>", "<Keys>").replace("</Key>", "</Keys>"))).not.toEqual([]);
    expect(await faultsOfSchema(xml.replace('Scale="2"', 'Scale="two"'))).not.toEqual([]);
  });

  test("is understood by the reader of the OData committee: enumeration and complex types", () => {
    const csdl = readCsdl(xml) as { readonly Shop: Record<string, unknown> };
    expect(csdl).toMatchObject({ $Version: "4.0" });
    expect(csdl.Shop["Status"]).toEqual({ $Kind: "EnumType", Draft: 0, Paid: 1, Shipped: 2 });
    expect(csdl.Shop["Access"]).toEqual({
      $Kind: "EnumType",
      $UnderlyingType: "Edm.Int64",
      $IsFlags: true,
      Read: 1,
      Write: 2,
      Admin: 4_294_967_296,
    });
    expect(csdl.Shop["Address"]).toEqual({
      $Kind: "ComplexType",
      Street: { $MaxLength: 120 },
      City: { $Nullable: true },
      Geo: { $Type: "Shop.Geo", $Nullable: true },
    });
  });

  test("is understood by the reader of the OData committee: entity types", () => {
    const { Shop } = readCsdl(xml) as { readonly Shop: Record<string, unknown> };
    expect(Shop["Customer"]).toEqual({
      $Kind: "EntityType",
      $Key: ["Id"],
      Id: { $Type: "Edm.Int32" },
      Name: { $MaxLength: 80, "@Org.OData.Core.V1.Description": 'Legal <name> & "seat"' },
      "@Org.OData.Core.V1.Description": "Whoever buys",
    });
    expect(Shop["Line"]).toMatchObject({ $Key: ["OrderId", "Number"] });
    expect(Shop["Order"]).toMatchObject({
      Id: { $Type: "Edm.Int64", "@Org.OData.Core.V1.Computed": true },
      Token: { $Type: "Edm.Guid", $Nullable: true, "@Org.OData.Core.V1.Immutable": true },
      Tags: { $Collection: true },
      Marks: { $Collection: true, $Type: "Edm.Decimal", $Nullable: true },
      Customer: {
        $Kind: "NavigationProperty",
        $Type: "Shop.Customer",
        $Nullable: true,
        $ReferentialConstraint: { CustomerId: "Id" },
        "@Org.OData.Core.V1.Description": "Who pays",
      },
      Lines: { $Kind: "NavigationProperty", $Collection: true, $Type: "Shop.Line" },
      Carrier: { $Kind: "NavigationProperty", $Type: "Shop.Customer", $Partner: "Carried" },
    });
  });

  test("is understood by the reader of the OData committee: operations, optional parameters last", () => {
    const { Shop } = readCsdl(xml) as { readonly Shop: Record<string, unknown> };
    const bound = { $Name: "bindingParameter", $Type: "Shop.Order" };
    expect(Shop["Late"]).toEqual([
      {
        $Kind: "Function",
        $EntitySetPath: "bindingParameter",
        $IsBound: true,
        $IsComposable: true,
        $Parameter: [
          { ...bound, $Collection: true },
          { $Name: "status", $Type: "Shop.Status", $Nullable: true },
          {
            $Name: "days",
            $Type: "Edm.Int32",
            "@Org.OData.Core.V1.OptionalParameter": { DefaultValue: "7" },
          },
        ],
        $ReturnType: { $Collection: true, $Type: "Shop.Order" },
      },
    ]);
    expect(Shop["Approve"]).toEqual([
      {
        $Kind: "Action",
        $IsBound: true,
        $Parameter: [
          bound,
          { $Name: "tags", $Collection: true },
          { $Name: "note", $Nullable: true, $MaxLength: 10, "@Org.OData.Core.V1.OptionalParameter": {} },
        ],
      },
    ]);
    expect(Shop["Total"]).toMatchObject([{ $ReturnType: { $Type: "Edm.Decimal", $Nullable: true } }]);
    expect(Shop["Reset"]).toEqual([{ $Kind: "Action" }]);
  });

  test("is understood by the reader of the OData committee: imports", () => {
    const { Shop } = readCsdl(xml) as { readonly Shop: { readonly Container: Record<string, unknown> } };
    expect(Shop.Container["Greet"]).toEqual({ $Function: "Shop.Greet", $IncludeInServiceDocument: true });
    expect(Shop.Container["Reset"]).toEqual({ $Action: "Shop.Reset" });
    expect(Shop.Container["@Org.OData.Capabilities.V1.FilterFunctions"]).toEqual(Object.keys(FUNCTION_SIGNATURES));
  });

  test("has no annotation that targets an element by path", () => {
    expect(xml).not.toContain("<Annotations");
  });
});

describe("the attributes of a property", () => {
  test.each<[string, StructuralProperty, string]>([
    ["its length", property("A", "Edm.String", { facets: { maxLength: 5 } }), ' Nullable="false" MaxLength="5"'],
    [
      "a scale",
      property("A", "Edm.Decimal", { facets: { precision: 9, scale: 0 } }),
      ' Nullable="false" Precision="9" Scale="0"',
    ],
    ["that its scale is variable", property("A", "Edm.Decimal"), ' Nullable="false" Scale="variable"'],
    [
      "a scale that is variable",
      property("A", "Edm.Decimal", { facets: { scale: "variable" } }),
      ' Nullable="false" Scale="variable"',
    ],
    ["the greatest precision of a time", property("A", "Edm.DateTimeOffset"), ' Nullable="false" Precision="12"'],
    [
      "a precision of zero",
      property("A", "Edm.DateTimeOffset", { facets: { precision: 0 } }),
      ' Nullable="false" Precision="0"',
    ],
    ["nothing when it is nullable", property("A", "Edm.Int32", { nullable: true }), ""],
    ["that its items are not null", property("A", "Edm.Int32", { isCollection: true }), ' Nullable="false"'],
    [
      "that its items may be null",
      property("A", "Edm.Int32", { isCollection: true, nullable: true }),
      ' Nullable="true"',
    ],
    ["its default", property("A", "Edm.String", { nullable: true, defaultValue: "a<b" }), ' DefaultValue="a&lt;b"'],
    ["an empty default", property("A", "Edm.String", { nullable: true, defaultValue: "" }), ' DefaultValue=""'],
    ["a default of Int64", property("A", "Edm.Int64", { nullable: true, defaultValue: 5n }), ' DefaultValue="5"'],
    [
      "a default of false",
      property("A", "Edm.Boolean", { nullable: true, defaultValue: false }),
      ' DefaultValue="false"',
    ],
    ["no default of null", property("A", "Edm.Boolean", { nullable: true, defaultValue: null }), ""],
    [
      "no default of a collection",
      property("A", "Edm.Int32", { isCollection: true, defaultValue: [1] }),
      ' Nullable="false"',
    ],
    [
      "no default of a complex value",
      property("A", [...model.complexTypes.values()][0]!, { nullable: true, defaultValue: {} }),
      "",
    ],
  ])("%s", (_, item, attributes) => {
    const line = lineWith(
      writeCsdlXml(modelOf(item), () => ALL),
      '<Property Name="A"',
    );
    expect(line.replace(/^<Property Name="A" Type="[^"]*"/, "")).toBe(`${attributes}/>`);
  });

  test("a key is never nullable", () => {
    const key = property("A", "Edm.Int32", { isKey: true, nullable: true });
    expect(
      lineWith(
        writeCsdlXml(modelOf(key), () => ALL),
        '<Property Name="A"',
      ),
    ).toBe('<Property Name="A" Type="Edm.Int32" Nullable="false"/>');
  });
});

describe("an enumeration type", () => {
  test.each([
    [{ A: -2_147_483_648, B: 2_147_483_647 }, false],
    [{ A: 2_147_483_648 }, true],
    [{ A: -2_147_483_649 }, true],
  ])("of %o has the underlying type Int64: %s", (members, isLong) => {
    const types = new Map([["E", enumType("E", members)]]);
    const xml = writeCsdlXml({ ...modelOf(), enumTypes: types }, () => ALL);
    expect(lineWith(xml, "<EnumType")).toBe(`<EnumType Name="E"${isLong ? ' UnderlyingType="Edm.Int64"' : ""}>`);
  });
});

describe("the capabilities of an entity set", () => {
  const prefix = "@Org.OData.Capabilities.V1.";
  const ofOrders = (capabilities: CsdlCapabilities): Record<string, unknown> => {
    const csdl = readCsdl(writeCsdlXml(model, () => capabilities)) as {
      readonly Shop: { readonly Container: { readonly Orders: Record<string, unknown> } };
    };
    const terms = Object.entries(csdl.Shop.Container.Orders).filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(terms.map(([name, value]) => [name.slice(prefix.length), value]));
  };
  const every = {
    NavigationRestrictions: { Navigability: "Single" },
    ExpandRestrictions: { MaxLevels: 3 },
  };

  test("with all capabilities, without those that are the default of the vocabulary", () => {
    expect(ofOrders(ALL)).toEqual(every);
  });

  test("with navigation properties without routes", () => {
    expect(ofOrders({ ...ALL, navigable: new Set(["Lines"]) })).toEqual({
      ...every,
      NavigationRestrictions: {
        Navigability: "Single",
        RestrictedProperties: ["Customer", "Carrier"].map((name) => ({
          NavigationProperty: name,
          Navigability: "None",
        })),
      },
    });
  });

  test("with only reads", () => {
    expect(ofOrders(READ_ONLY)).toEqual({
      ...every,
      NavigationRestrictions: { Navigability: "None" },
      ExpandRestrictions: { Expandable: false },
      SearchRestrictions: { Searchable: false },
      InsertRestrictions: { Insertable: false },
      UpdateRestrictions: { Updatable: false },
      DeleteRestrictions: { Deletable: false },
    });
  });

  test.each<[string, Partial<CsdlCapabilities["query"]>, Record<string, unknown>]>([
    [
      "no filter",
      { filterEnabled: false, filterProperties: new Set(["Id"]) },
      { FilterRestrictions: { Filterable: false } },
    ],
    ["no order", { orderByEnabled: false, orderByProperties: new Set() }, { SortRestrictions: { Sortable: false } }],
    ["no count", { countEnabled: false }, { CountRestrictions: { Countable: false } }],
    ["no selection", { selectEnabled: false }, { SelectSupport: { Supported: false } }],
    [
      "some properties for filters",
      {
        filterProperties: new Set(
          [...model.entityTypes.get("Order")!.members.keys()].filter((name) => name !== "Total"),
        ),
      },
      { FilterRestrictions: { NonFilterableProperties: ["Total"] } },
    ],
    [
      "some properties for order",
      {
        orderByProperties: new Set(
          [...model.entityTypes.get("Order")!.members.keys()].filter((name) => name !== "Note"),
        ),
      },
      { SortRestrictions: { NonSortableProperties: ["Note"] } },
    ],
    [
      "some properties for expansion",
      { expandProperties: new Set(["Lines"]) },
      { ExpandRestrictions: { NonExpandableProperties: ["Customer", "Carrier"], MaxLevels: 3 } },
    ],
  ])("with %s", (_, query, expected) => {
    expect(ofOrders({ ...ALL, query: { ...QUERY, ...query } })).toEqual({ ...every, ...expected });
  });

  const unread = {
    ...every,
    FilterRestrictions: { Filterable: false },
    SortRestrictions: { Sortable: false },
    SearchRestrictions: { Searchable: false },
    CountRestrictions: { Countable: false },
    TopSupported: false,
    SkipSupported: false,
  };
  test.each<[boolean, boolean, Record<string, unknown>]>([
    [
      true,
      false,
      {
        ...every,
        ReadRestrictions: { Readable: true, ReadByKeyRestrictions: { Readable: false } },
        IndexableByKey: false,
      },
    ],
    [false, true, { ...unread, ReadRestrictions: { Readable: false, ReadByKeyRestrictions: { Readable: true } } }],
    [false, false, { ...unread, ReadRestrictions: { Readable: false }, IndexableByKey: false }],
  ])("with a readable collection: %s, a readable entity: %s", (readable, readableByKey, expected) => {
    expect(ofOrders({ ...ALL, readable, readableByKey })).toEqual(expected);
  });

  test("with an ETag and bindings", () => {
    const csdl = readCsdl(writeCsdlXml(model, () => ALL));
    expect(csdl).toMatchObject({
      Shop: {
        Container: {
          Orders: {
            $NavigationPropertyBinding: { Customer: "Customers", Lines: "Lines" },
            "@Org.OData.Core.V1.OptimisticConcurrency": ["Id", "Total"],
          },
        },
      },
    });
  });

  test("include filter functions only if a set can be filtered", () => {
    const query = { ...QUERY, filterEnabled: false };
    expect(writeCsdlXml(model, () => ({ ...ALL, query }))).not.toContain("FilterFunctions");
  });
});
