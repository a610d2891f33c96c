import { describe, expect, test } from "vitest";
import { labelProperties, labelText, nameProperties } from "../../../explorer/src/model/label-properties.ts";
import { readMetadata } from "../../../explorer/src/model/model.ts";
import { parseXml } from "./parse-xml.ts";
import { entityType, property } from "./sample-model.ts";

/** A type whose key is a number, and whose other properties are texts. */
function typeOf(name: string, texts: string) {
  return entityType(name, [property("Id", "Int32"), ...texts.split(" ").map((each) => property(each, "String"))]);
}

const namesOf = (all: readonly { readonly name: string }[]): string => all.map(({ name }) => name).join(" ");

describe("the label of an entity", () => {
  test.for([
    ["Customer", "Address FirstName LastName Company Email", "FirstName LastName"],
    ["Employee", "LastName FirstName Title", "FirstName LastName"],
    ["actor", "first_name last_name", "first_name last_name"],
    ["Person", "FirstName LastName DisplayName", "DisplayName"],
    ["Customer", "CompanyName ContactName ContactTitle Address", "CompanyName"],
    ["Supplier", "ContactName CompanyName", "CompanyName"],
    ["Product", "SKU Name Title", "Name"],
    ["Product", "QuantityPerUnit ProductName", "ProductName"],
    ["Album", "Composer Title", "Title"],
    ["city", "last_update city", "city"],
    ["Order", "ShipAddress ShipName", "ShipName"],
    ["Account", "UserName Email", "UserName"],
  ] as const)("of %s with %s is %s", ([name, texts, label]) => {
    expect(namesOf(labelProperties(typeOf(name, texts)))).toBe(label);
    expect(namesOf(nameProperties(typeOf(name, texts)))).toBe(label);
  });

  test.for([
    ["Region", "Phone RegionDescription Note", "RegionDescription"],
    ["Invoice", "BillingAddress BillingCity BillingPostalCode AddressLine2 Status", ""],
  ] as const)("of %s with %s, of which none is a name, is %s", ([name, texts, label]) => {
    expect(namesOf(labelProperties(typeOf(name, texts)))).toBe(label);
    expect(nameProperties(typeOf(name, texts))).toEqual([]);
  });

  test("is the text of all of its properties, without those that are null, empty or absent", () => {
    const label = labelProperties(typeOf("Person", "FirstName LastName"));
    expect(
      [{ FirstName: "Ada", LastName: " Byron" }, { FirstName: null, LastName: "Byron" }, { FirstName: " " }, null].map(
        (values) => labelText(label, values),
      ),
    ).toEqual(["Ada Byron", "Byron", null, null]);
  });

  test.for([
    [
      `<Annotation Term="UI.HeaderInfo"><Record><PropertyValue Property="Title"><Record Type="UI.DataField"><PropertyValue Property="Value" Path="Code"/></Record></PropertyValue></Record></Annotation>`,
      "",
      "Code",
    ],
    ["", `<Annotation Term="Common.Text" Path="Code"/>`, "Code"],
    [
      `<Annotation Term="Common.SemanticKey"><Collection><PropertyPath>Plant</PropertyPath><PropertyPath>Code</PropertyPath></Collection></Annotation>`,
      "",
      "Plant Code",
    ],
    [
      `<Annotation Term="UI.HeaderInfo"><Record><PropertyValue Property="Title"><Record Type="UI.DataField"><PropertyValue Property="Value" Path="Owner/Name"/></Record></PropertyValue></Record></Annotation>`,
      "",
      "Name",
    ],
  ] as const)("is that of an annotation: %s%s", ([ofType, ofKey, label]) => {
    const model = readMetadata(
      `<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"><edmx:DataServices><Schema Namespace="S">
        <EntityType Name="Part"><Key><PropertyRef Name="Id"/></Key>
          <Property Name="Id" Type="Edm.Int32" Nullable="false">${ofKey}</Property>
          <Property Name="Name" Type="Edm.String"/><Property Name="Plant" Type="Edm.String"/><Property Name="Code" Type="Edm.String"/>
          ${ofType}
        </EntityType>
        <EntityContainer Name="C"><EntitySet Name="Parts" EntityType="S.Part"/></EntityContainer>
      </Schema></edmx:DataServices></edmx:Edmx>`,
      parseXml,
    );
    expect(namesOf(labelProperties(model.types.get("S.Part")!))).toBe(label);
  });
});
