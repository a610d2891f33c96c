import { action, edm, entitySet, entityType, fn, hasMany, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";
import { annotated, faultsOf, thingXml, xmlOf } from "./annotation-model.ts";

const facet = (Target: string): object => ({ "UI.Facets": [{ "@type": "UI.ReferenceFacet", Target }] });

describe("a path to an annotation", () => {
  test.each<[string, unknown, string]>([
    [
      "by the namespace of its vocabulary",
      { "UI.FieldGroup#A": {}, ...facet("@com.sap.vocabularies.UI.v1.FieldGroup#A") },
      "@UI.FieldGroup#A",
    ],
    [
      "that is declared by the namespace of its vocabulary",
      { "com.sap.vocabularies.UI.v1.FieldGroup#A": {}, ...facet("@UI.FieldGroup#A") },
      "@UI.FieldGroup#A",
    ],
    ["that is a description", { "UI.Contacts": ["name@Core.Description"] }, "Name@Core.Description"],
    [
      "that the service writes",
      { "UI.Contacts": ["changed@Core.Computed", "born@Core.Immutable"] },
      "Born@Core.Immutable",
    ],
    [
      "of an annotation",
      { "UI.Contacts": ["note@Common.Text@UI.TextArrangement"] },
      "Note@Common.Text@UI.TextArrangement",
    ],
    ["of a navigation property", facet("customer@UI.FieldGroup#N"), "Customer@UI.FieldGroup#N"],
    ["of the type of a navigation property", facet("customer/@UI.FieldGroup#C"), "Customer/@UI.FieldGroup#C"],
    ["of a set", facet("/Shop.Container/Customers/@UI.FieldGroup#C"), "/Shop.Container/Customers/@UI.FieldGroup#C"],
    ["of another type", facet("customers/Shop.Customer/@UI.FieldGroup#C"), "Customers/Shop.Customer/@UI.FieldGroup#C"],
  ])("%s", async (_, annotations, path) => {
    expect(await thingXml(annotations)).toContain(path);
    const xml = await xmlOf(annotated(annotations));
    expect(await faultsOfSchema(xml)).toEqual([]);
    expect(() => readCsdl(xml)).not.toThrow();
  });

  test("of the container", async () => {
    const annotations = { "UI.Contacts": ["/Shop.Container/@Core.LongDescription"] };
    const container = { annotations: { "Core.LongDescription": "All" } };
    expect(await thingXml(annotations, container)).toContain("/Shop.Container/@Core.LongDescription<");
    expect(faultsOf(annotations).join()).toContain("No annotation `Core.LongDescription` is declared there.");
  });

  test.each<[string, unknown, string]>([
    ["of the type, written as that of the navigation", facet("customer@UI.FieldGroup#C"), "No annotation"],
    ["of the navigation, written as that of the type", facet("customer/@UI.FieldGroup#N"), "No annotation"],
    [
      "with an unknown annotation of an annotation",
      { "UI.Contacts": ["note@Common.Text@UI.Importance"] },
      "No annotation `Common.Text@UI.Importance`",
    ],
    ["with an unknown term", { "UI.Contacts": ["note@Common.Text@UI.Nope"] }, "has no term `Nope`"],
    ["with an undefined annotation", { "UI.Chart": undefined, ...facet("@UI.Chart") }, "No annotation `UI.Chart`"],
    [
      "with segments behind its term",
      { ...facet("@UI.FieldGroup#A/Label"), "UI.FieldGroup#A": {} },
      "An annotation precedes the end.",
    ],
  ])("is rejected: %s", (_, annotations, message) => {
    expect(faultsOf(annotations).join("\n")).toContain(message);
  });
});

describe("a path into an annotation", () => {
  test.each<[string, string]>([
    ["@UI.FieldGroup#A/Label", "@UI.FieldGroup#A/Label"],
    ["customer/@UI.HeaderInfo/Title/Label", "Customer/@UI.HeaderInfo/Title/Label"],
    ["@UI.HeaderInfo/Title/Value", "@UI.HeaderInfo/Title/Value"],
    ["@X.Any/a/b", "@X.Any/a/b"],
    ["@UI.ConnectedFields/Data/Name/Value", "@UI.ConnectedFields/Data/Name/Value"],
    ["name@Core.Description", "Name@Core.Description"],
  ])("%s", async (path, written) => {
    const annotations = { "Common.Label": { $Path: path } };
    expect(await thingXml(annotations)).toContain(`<Annotation Term="Common.Label" Path="${written}"/>`);
    expect(await faultsOfSchema(await xmlOf(annotated(annotations)))).toEqual([]);
  });

  test.each<[string, string]>([
    ["@UI.FieldGroup#A/Labl", "UI.FieldGroupType has no property `Labl`. Did you mean `Label`?"],
    ["@Core.Description/x", "An annotation precedes the end."],
    ["@UI.HeaderInfo/TypeName/x", "An annotation precedes the end."],
    ["@UI.LineItem/Label", "An annotation precedes the end."],
    ["@X.Any/a b", "An annotation precedes the end."],
  ])("is rejected: %s", (path, message) => {
    expect(faultsOf({ "Common.Label": { $Path: path } }).join("\n")).toContain(message);
  });
});

describe("a path to a value", () => {
  test.each<[string, string]>([
    ["/Customers/name", "`/Customers` is not the container. Start it with `/Shop.Container/` and an entity set"],
    ["/Shop.Other/Customers/name", "`/Shop.Other` is not the container."],
    ["name/$count", "leads nowhere"],
    ["place/$count", "Address has no property `$count`"],
    ["$count", "Thing has no property `$count`"],
    ["customers/$count@Core.Description", "Customer has no property `$count`"],
    ["Shop.Status/name", "`Shop.Status` is not a type of this service."],
  ])("is rejected: %s", (path, message) => {
    expect(faultsOf({ "Common.Label": { $Path: path } }).join("\n")).toContain(message);
  });

  test.each<[string, string]>([
    ["places/$count", "Places/$count"],
    ["customers/$count", "Customers/$count"],
    ["/Shop.Container/Customers/$count", "/Shop.Container/Customers/$count"],
    ["first.name", "FirstName"],
    ["place/Shop.Address/city", "Place/Shop.Address/City"],
  ])("%s", async (path, written) => {
    expect(await thingXml({ "Common.Label": { $Path: path } })).toContain(`Path="${written}"`);
  });

  test("of a key with a dot in a list of properties", async () => {
    expect(await thingXml({ "UI.SelectionFields": ["first.name", "FirstName"] })).toContain(
      "<PropertyPath>FirstName</PropertyPath><PropertyPath>FirstName</PropertyPath>",
    );
  });

  test("of the binding parameter and of other parameters, with their counts", async () => {
    const A = entityType("A", { id: edm.int32().key() });
    const label = (path: string): object => ({ annotations: { "Common.Label": { $Path: path } } });
    const service = (single: string, many: string): Promise<string> =>
      xmlOf(
        odataService({
          namespace: "Shop",
          entitySets: [
            entitySet(A, {
              getAll: () => [],
              navigation: { others: hasMany(A, { target: "As" }) },
              actions: {
                one: action({ bound: "entity", ...label(single), handler: (_key: number) => undefined }),
                all: action({ bound: "collection", ...label("bindingParameter/$count"), handler: () => undefined }),
              },
            }),
          ],
          functions: {
            f: fn({
              params: { ids: edm.collection(edm.int32()), id: edm.int32() },
              returns: edm.int32(),
              ...label(many),
              handler: () => 1,
            }),
          },
        }),
      );
    const xml = await service("bindingParameter/others/$count", "ids/$count");
    expect(xml).toContain('Path="bindingParameter/Others/$count"');
    expect(xml).toContain('Path="bindingParameter/$count"');
    expect(xml).toContain('Path="ids/$count"');
    expect(() => service("bindingParameter/$count", "ids/$count")).toThrow("A has no property `$count`");
    expect(() => service("bindingParameter/id", "id/$count")).toThrow("leads nowhere");
  });
});
