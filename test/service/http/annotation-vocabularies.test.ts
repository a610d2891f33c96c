import { edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { describe, expect, test } from "vitest";
import { faultsOfJsonSchema, faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";
import { annotated, faultsOf, jsonOf, thingXml, xmlOf } from "./annotation-model.ts";

const COMMON = { namespace: "com.sap.vocabularies.Common.v1", uri: "https://example.com/Common.xml" };
const UI = { namespace: "com.sap.vocabularies.UI.v1", uri: "https://example.com/UI.xml" };

describe("a newer version of a known vocabulary", () => {
  const vocabularies = { Common: COMMON, UI };

  test("keeps its known terms and types, and may have more", async () => {
    const annotations = {
      "Common.ValueList": {
        CollectionPath: "Customers",
        NewProperty: { $Path: "name" },
        Parameters: [{ "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: "name" }],
      },
      "Common.NewTerm": { "@type": "Common.NewType", a: 1 },
      "UI.LineItem": [{ Value: { $Path: "name" }, "@UI.Importance": "Highest" }],
      "Common.NewMember": { $EnumMember: "UI.NewEnum/A" },
    };
    const xml = await thingXml(annotations, { vocabularies });
    expect(xml).toContain('<PropertyValue Property="ValueListProperty" String="Name"/>');
    expect(xml).toContain('<Record Type="Common.NewType"><PropertyValue Property="a" Int="1"/>');
    expect(xml).toContain('<Record Type="UI.DataField"><PropertyValue Property="Value" Path="Name"/>');
    expect(xml).toContain('EnumMember="UI.ImportanceType/Highest"');
    expect(await xmlOf(annotated(annotations, { vocabularies }))).toContain(
      '<edmx:Reference Uri="https://example.com/UI.xml">',
    );
  });

  test.each<[string, unknown, string]>([
    [
      "an ignored property of a value list",
      {
        "Common.ValueList": {
          CollectionPath: "Customers",
          Parameters: [{ "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: "secret" }],
        },
      },
      "Customer has no property `secret` that clients see.",
    ],
    ["an ignored property", { "UI.SelectionFields": ["hidden"] }, "no property `hidden`"],
    ["a wrong type", { "UI.Hidden": "yes" }, "Give true or false."],
    ["a member that is not an identifier", { "UI.Importance": "Very high" }, "it is a value of the enumeration"],
    ["a term that is not an identifier", { "UI.a-b": 1 }, "The vocabulary UI has no term `a-b`."],
    ["a property that is not an identifier", { "UI.HeaderInfo": { "a-b": 1 } }, "which is not an identifier."],
  ])("rejects %s", (_, annotations, message) => {
    expect(faultsOf(annotations, { vocabularies }).join("\n")).toContain(message);
  });
});

describe("an alias", () => {
  test.each<[string, Partial<ServiceOptions>, string]>([
    [
      "that is the namespace of the service",
      { vocabularies: { Shop: { namespace: "a.b", uri: "x" } } },
      "The alias `Shop` in `vocabularies` is the namespace of the service.",
    ],
    [
      "Edm",
      { vocabularies: { Edm: { namespace: "a.b", uri: "x" } } },
      "The alias `Edm` in `vocabularies` is reserved.",
    ],
    ["odata", { vocabularies: { odata: { namespace: "a.b", uri: "x" } } }, "is reserved."],
    ["System", { vocabularies: { System: { namespace: "a.b", uri: "x" } } }, "is reserved."],
    ["Transient", { vocabularies: { Transient: { namespace: "a.b", uri: "x" } } }, "is reserved."],
    [
      "of a vocabulary with another alias",
      { vocabularies: { A: { namespace: "a.b", uri: "x" }, B: { namespace: "a.b", uri: "y" } } },
      "The vocabularies A and B have the same namespace",
    ],
    [
      "of a known vocabulary with another alias",
      { vocabularies: { MyUI: UI } },
      "The vocabularies UI and MyUI have the same namespace",
    ],
    [
      "of the namespace of the service",
      { vocabularies: { S: { namespace: "Shop", uri: "x" } } },
      "The vocabulary S has the namespace of the service.",
    ],
  ])("is rejected: %s", (_, more, message) => {
    expect(faultsOf(undefined, more).join("\n")).toContain(message);
  });

  test.each(["UI", "Common", "Core", "Analytics"])(
    "gives way to the namespace %s of the service",
    async (namespace) => {
      const annotations = {
        "UI.LineItem": [{ Value: { $Path: "name" }, "@UI.Importance": "High" }],
        "UI.FieldGroup#A": {},
        "UI.Facets": [{ "@type": "UI.ReferenceFacet", Target: "@UI.FieldGroup#A" }],
        "Common.Label": { $Path: "status" },
        "X.E": { $EnumMember: `${namespace}.Status/Paid` },
        "Core.LongDescription": "x",
        "Analytics.Measure": true,
        "X.R": { "@type": `${namespace}.Address`, city: 1 },
      };
      const service = annotated(annotations, { namespace });
      const xml = await xmlOf(service);
      expect(await faultsOfSchema(xml)).toEqual([]);
      expect(() => readCsdl(xml)).not.toThrow();
      expect(xml).not.toContain(`Alias="${namespace}"`);
      const json = await jsonOf(service);
      expect(faultsOfJsonSchema(json)).toEqual([]);
      const full = namespace === "Core" ? "Org.OData.Core.V1" : `com.sap.vocabularies.${namespace}.v1`;
      const prefix = (alias: string): string => (alias === namespace ? full : alias);
      expect(json[namespace]?.["Thing"]).toMatchObject({
        [`@${prefix("Analytics")}.Measure`]: true,
        [`@${prefix("Core")}.LongDescription`]: "x",
        [`@${prefix("UI")}.Facets`]: [{ Target: `@${prefix("UI")}.FieldGroup#A` }],
      });
      expect(xml).toContain(`Term="${prefix("Common")}.Label"`);
      expect(xml).toContain(`EnumMember="${prefix("UI")}.ImportanceType/High"`);
      expect(xml).toContain(`Type="${prefix("UI")}.DataField"`);
    },
  );
});

test("two vocabularies of one document have one reference", async () => {
  const vocabularies = {
    A: { namespace: "com.a", uri: "https://e.com/all.xml" },
    B: { namespace: "com.b", uri: "https://e.com/all.xml" },
  };
  const service = annotated({ "A.T": { "@type": "B.R" }, "B.T": 1 }, { vocabularies });
  const xml = await xmlOf(service);
  expect(xml.match(/Uri="https:\/\/e\.com\/all\.xml"/g)).toHaveLength(1);
  expect(xml).toMatch(/<edmx:Include Namespace="com\.a" Alias="A"\/>\s*<edmx:Include Namespace="com\.b" Alias="B"\/>/);
  const json = await jsonOf(service);
  expect(json["$Reference"]?.["https://e.com/all.xml"]).toEqual({
    $Include: [
      { $Namespace: "com.a", $Alias: "A" },
      { $Namespace: "com.b", $Alias: "B" },
    ],
  });
  expect(json["Shop"]?.["Thing"]?.["@A.T"]).toEqual({ "@odata.type": "https://e.com/all.xml#B.R" });
});

test("a service without sets has no container in $metadata, and rejects annotations of it", async () => {
  const empty = odataService({ namespace: "Shop", entitySets: [], profile: "standard" });
  const xml = await xmlOf(empty);
  expect(await faultsOfSchema(xml)).toEqual([]);
  expect(xml).not.toContain("EntityContainer");
  expect((await jsonOf(empty))["$EntityContainer"]).toBeUndefined();
  const Thing = entityType("Thing", { id: edm.int32().key() });
  const full = odataService({ namespace: "Shop", entitySets: [entitySet(Thing, { getAll: () => [] })] });
  expect(await xmlOf(full)).toContain('<EntityContainer Name="Container">');
  expect(() => odataService({ namespace: "Shop", entitySets: [], annotations: { "Core.Description": "x" } })).toThrow(
    "Annotations of the service need a container",
  );
});
