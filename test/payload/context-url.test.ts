import { expect, test } from "vitest";
import {
  collectionContext,
  collectionNavigationContext,
  entityContext,
  entityNavigationContext,
  metadataUrl,
  propertyContext,
  referenceCollectionContext,
  referenceContext,
  typeContext,
} from "../../src/payload/urls.ts";
import { customers, entitySet, orders } from "./model.ts";

const root = "https://example.com/odata";
const towns = entitySet("Städte", customers.entityType);

test.each([
  ["the service document", metadataUrl(root), ""],
  ["a collection", collectionContext(root, orders, []), "#Orders"],
  ["a selection", collectionContext(root, orders, ["Total", "Id"]), "#Orders(Total,Id)"],
  ["a selection of paths", collectionContext(root, orders, ["ShipTo/City", "*"]), "#Orders(ShipTo/City,*)"],
  ["names beyond ASCII", collectionContext(root, towns, ["Straße"]), "#St%C3%A4dte(Stra%C3%9Fe)"],
  ["an entity", entityContext(root, orders, []), "#Orders/$entity"],
  ["a selected entity", entityContext(root, orders, ["Total", "Id"]), "#Orders(Total,Id)/$entity"],
  ["a property", propertyContext(root, orders, "(1)", "Total"), "#Orders(1)/Total"],
  ["a nested property", propertyContext(root, orders, "('a%2Fb')", "ShipTo/City"), "#Orders('a%2Fb')/ShipTo/City"],
  ["a collection navigation", collectionNavigationContext(root, orders, "(1)", "Lines", []), "#Orders(1)/Lines"],
  [
    "a selected collection navigation",
    collectionNavigationContext(root, orders, "(1)", "Lines", ["Number"]),
    "#Orders(1)/Lines(Number)",
  ],
  ["a single navigation", entityNavigationContext(root, orders, "(1)", "Customer", []), "#Orders(1)/Customer/$entity"],
  [
    "a selected single navigation",
    entityNavigationContext(root, orders, "(1)", "Customer", ["Name"]),
    "#Orders(1)/Customer(Name)/$entity",
  ],
  ["a reference", referenceContext(root), "#$ref"],
  ["references", referenceCollectionContext(root), "#Collection($ref)"],
  ["a primitive result", typeContext(root, "Edm.String", false), "#Edm.String"],
  ["a collection of primitives", typeContext(root, "Edm.String", true), "#Collection(Edm.String)"],
])("the context URL of %s", (_, actual, fragment) => {
  expect(actual).toBe(`https://example.com/odata/$metadata${fragment}`);
});
