import { describe, expect, test } from "vitest";
import type { Operation } from "../../../src/edm/model.ts";
import { resolvePath } from "../../../src/language/binder/resolve-path.ts";
import type { ResourcePath } from "../../../src/language/query/resource-path.ts";
import { parseResourcePath } from "../../../src/language/syntax/path-parser.ts";
import { model } from "./model.ts";
import { errorOf } from "./requests.ts";

function resolve(path: string): ResourcePath {
  return resolvePath(parseResourcePath(path), model);
}

const NEEDS_STANDARD =
  "Paths into complex values, and the count of a collection of values, need a service with the profile of the standard.";

/** Writes a path as one line: its kind, then its parts. */
function summary(path: ResourcePath): string {
  const found: unknown[] = [path.kind];
  if ("entitySet" in path) found.push(path.entitySet.name);
  if ("key" in path) found.push(path.key);
  if ("property" in path) found.push([path.property, ...path.members].map(({ name }) => name).join("/"));
  if ("navigationProperty" in path) found.push(path.navigationProperty.name);
  if ("relatedKey" in path) found.push(path.relatedKey);
  if ("operations" in path && path.operations.length > 0) found.push(path.operations.map(kindAndName).join("+"));
  if ("arguments" in path) found.push(path.arguments);
  return found.map(String).join(" ");
}

function kindAndName({ kind, name }: Operation): string {
  return `${kind}:${name}`;
}

test.each([
  ["", "serviceRoot"],
  ["/", "serviceRoot"],
  ["/$metadata", "metadata"],
  ["/Products", "entitySet Products"],
  ["/Products/", "entitySet Products"],
  ["/Products/$count", "entitySetCount Products"],
  ["/Products(1)", "entity Products 1"],
  ["/Products(%27a%2Fb%27)", "entity Products 'a/b'"],
  ["/Products()", "entity Products "],
  ["/Products(Id=1)/Price", "property Products Id=1 Price"],
  ["/Products(1)/Price/$value", "propertyValue Products 1 Price"],
  ["/Products(1)/Tags", "property Products 1 Tags"],
  ["/Products(1)/constructor", "property Products 1 constructor"],
  ["/Products(1)/Name", "property Products 1 Name Action:Name"],
  ["/Products(1)/Name/$value", "propertyValue Products 1 Name"],
  ["/Products(1)/Parts", "navigation Products 1 Parts"],
  ["/Products(1)/Parts/$count", "navigationCount Products 1 Parts"],
  ["/Products(1)/Parts/$ref", "reference Products 1 Parts"],
  ["/Products(1)/Parts(2)", "relatedEntity Products 1 Parts 2"],
  ["/Products(1)/Supplier", "navigation Products 1 Supplier Action:Supplier"],
  ["/Products(1)/Supplier()", "boundOperation Products 1 Action:Supplier "],
  ["/Products(1)/Name()", "boundOperation Products 1 Action:Name "],
  ["/Products(1)/Supplier/$ref", "reference Products 1 Supplier"],
  ["/Products(1)/Total", "boundOperation Products 1 Function:Total+Action:Total null"],
  ["/Products(1)/Total(a=1)", "boundOperation Products 1 Function:Total+Action:Total a=1"],
  ["/Products(1)/Shop.Total()", "boundOperation Products 1 Function:Total+Action:Total "],
  ["/Products(1)/Shop.Name", "boundOperation Products 1 Action:Name null"],
  ["/Products/Best", "boundOperation Products null Function:Best null"],
  ["/Products/Shop.Best(n=5)", "boundOperation Products null Function:Best n=5"],
  ["/Greet", "operationImport Function:Greet null"],
  ["/Greet(name='x')", "operationImport Function:Greet name='x'"],
  ["/Reset", "operationImport Action:Reset null"],
])("%s resolves to %s", (path, resolved) => {
  expect(summary(resolve(path))).toBe(resolved);
});

describe("paths into values", () => {
  const resolveDeep = (path: string): ResourcePath => resolvePath(parseResourcePath(path), model, "further");

  test.each([
    ["/Products(1)/Price/$value", "propertyValue Products 1 Price"],
    ["/Products(1)/Name", "property Products 1 Name Action:Name"],
    ["/Products(1)/Tags/$count", "propertyCount Products 1 Tags"],
    ["/Products(1)/Address/City", "property Products 1 Address/City"],
    ["/Products(1)/Address/City/", "property Products 1 Address/City"],
    ["/Products(1)/Address/City/$value", "propertyValue Products 1 Address/City"],
  ])("%s resolves to %s", (path, resolved) => {
    expect(summary(resolveDeep(path))).toBe(resolved);
  });

  test.each([
    ["/Products(1)/Address/Cty", "'Address' has no property 'Cty'. Did you mean 'City'?"],
    ["/Products(1)/Address/city", "'Address' has no property 'city'. Did you mean 'City'? Names are case-sensitive."],
    ["/Products(1)/Address/City(1)", "'City' does not take parentheses."],
    ["/Products(1)/Address/$count", "'Address' has no property '$count'."],
    ["/Products(1)/Address/City/x", "Only '$value' may follow the property 'City'."],
    ["/Products(1)/Tags/x", "Only '$count' may follow the property 'Tags'."],
    ["/Products(1)/Tags/$count/x", "Nothing may follow '$count' in a path."],
    ["/Products(1)/Price/$count", "Only '$value' may follow the property 'Price'."],
    ["/Products(1)/Address/constructor", "'Address' has no property 'constructor'."],
  ])("%s is 404", (path, reason) => {
    const [status, code, , message] = errorOf(() => resolveDeep(path));
    expect([status, code]).toEqual([404, "NotFound"]);
    expect(message.endsWith(` is not valid here. ${reason}`), message).toBe(true);
  });
});

describe("404", () => {
  test.each([
    ["/Prodcts", "The service has no resource 'Prodcts'. Did you mean 'Products'?"],
    ["/products", "The service has no resource 'products'. Did you mean 'Products'? Names are case-sensitive."],
    ["/Grete", "The service has no resource 'Grete'. Did you mean 'Greet'?"],
    ["/$metdata", "The service has no resource '$metdata'. Did you mean '$metadata'?"],
    ["/$METADATA", "The service has no resource '$METADATA'. Did you mean '$metadata'? Names are case-sensitive."],
    ["/$metadata()", "The path segment '$metadata' is not valid here. '$metadata' does not take parentheses."],
    ["/toString", "The service has no resource 'toString'."],
    ["/__proto__", "The service has no resource '__proto__'."],
    [`/${"A".repeat(100)}`, `The service has no resource '${"A".repeat(40)}…'.`],
    ["/$batch", "The service has no resource '$batch'. This service does not offer batch requests."],
    ["/$all", "The service has no resource '$all'. This service does not offer the collection of all entities."],
    ["/$entity", "The service has no resource '$entity'. This service does not offer entities by $id."],
    ["/$crossjoin(A,B)", "The service has no resource '$crossjoin'. This service does not offer cross joins."],
    ["/$metadata/Products", "The path segment 'Products' is not valid here. Nothing may follow '$metadata' in a path."],
    ["/Greet/x", "The path segment 'x' is not valid here. Nothing may follow 'Greet' in a path."],
    [
      "/Products/Name",
      "The entity set 'Products' has no operation 'Name'. It belongs to one entity: write 'Products(key)/Name'.",
    ],
    ["/Products/Bets", "The entity set 'Products' has no operation 'Bets'. Did you mean 'Best'?"],
    ["/Products/Total", "The entity set 'Products' has no operation 'Total'."],
    ["/Products/$count()", "The path segment '$count' is not valid here. '$count' does not take parentheses."],
    ["/Products/$count/x", "The path segment 'x' is not valid here. Nothing may follow '$count' in a path."],
    ["/Products/$ref", "The entity set 'Products' has no operation '$ref'."],
    ["/People/Best", "The entity set 'People' has no operation 'Best'."],
    ["/Products(1)(2)", "The path segment '' is not valid here. Write the key once, in one pair of parentheses."],
    ["/Products(1)/Naem", "An entity of 'Products' has no property or operation 'Naem'. Did you mean 'Name'?"],
    [
      "/Products(1)/price",
      "An entity of 'Products' has no property or operation 'price'. Did you mean 'Price'? Names are case-sensitive.",
    ],
    ["/Products(1)/Best", "An entity of 'Products' has no property or operation 'Best'."],
    ["/Products(1)/Other", "An entity of 'Products' has no property or operation 'Other'."],
    ["/Products(1)/$value", "An entity of 'Products' has no property or operation '$value'."],
    ["/Products(1)/Price(1)", "The path segment 'Price' is not valid here. 'Price' does not take parentheses."],
    [
      "/Products(1)/Price/$count",
      "The path segment '$count' is not valid here. Only '$value' may follow the property 'Price'.",
    ],
    [
      "/Products(1)/Address/City",
      `The path segment 'City' is not valid here. Read 'Address' as a whole, or select 'Address/City'. ${NEEDS_STANDARD}`,
    ],
    [
      "/Products(1)/Tags/$count",
      `The path segment '$count' is not valid here. Read 'Tags' as a whole. ${NEEDS_STANDARD}`,
    ],
    [
      "/Products(1)/Address/Cty",
      `The path segment 'Cty' is not valid here. Read 'Address' as a whole. ${NEEDS_STANDARD}`,
    ],
    [
      "/Products(1)/Address/$count",
      `The path segment '$count' is not valid here. Read 'Address' as a whole. ${NEEDS_STANDARD}`,
    ],
    ["/Products(1)/Tags/x", `The path segment 'x' is not valid here. Read 'Tags' as a whole. ${NEEDS_STANDARD}`],
    ["/Products(1)/Price/$value/x", "The path segment 'x' is not valid here. Nothing may follow '$value' in a path."],
    [
      "/Products(1)/Maker(1)",
      "The path segment 'Maker' is not valid here. 'Maker' leads to a single entity and takes no key.",
    ],
    [
      "/Products(1)/Supplier/$count",
      "The path segment '$count' is not valid here. Only '$ref' may follow the navigation property 'Supplier'.",
    ],
    [
      "/Products(1)/Parts/Name",
      "The path segment 'Name' is not valid here. Only '$count' and '$ref' may follow the navigation property 'Parts'.",
    ],
    [
      "/Products(1)/Parts/$ref()",
      "The path segment '$ref' is not valid here. Only '$count' and '$ref' may follow the navigation property 'Parts'.",
    ],
    [
      "/Products(1)/Parts(2)/Name",
      "The path segment 'Name' is not valid here. To go further, address the related entity in its own entity set.",
    ],
    [
      "/Products(1)/Total/x",
      "The path segment 'x' is not valid here. Nothing may follow the operation 'Total' in a path.",
    ],
    // The first segment that is not valid is named, whatever follows it.
    [
      "/Products(1)/Supplier/Address/City",
      "The path segment 'Address' is not valid here. Only '$ref' may follow the navigation property 'Supplier'.",
    ],
    ["/Products(1)/Supplier/$ref/x", "The path segment 'x' is not valid here. Nothing may follow '$ref' in a path."],
    ["/Products(1)/Parts/$count/x", "The path segment 'x' is not valid here. Nothing may follow '$count' in a path."],
    [
      "/Products(1)/Parts(2)/Name/x",
      "The path segment 'Name' is not valid here. To go further, address the related entity in its own entity set.",
    ],
    [
      "/Products(1)/Maker(1)/Name/x",
      "The path segment 'Maker' is not valid here. 'Maker' leads to a single entity and takes no key.",
    ],
    ["/Products(1)/Naem/x/y", "An entity of 'Products' has no property or operation 'Naem'. Did you mean 'Name'?"],
    [
      "/Products(1)/Total/x/y",
      "The path segment 'x' is not valid here. Nothing may follow the operation 'Total' in a path.",
    ],
    ["/Products/Bets/x", "The entity set 'Products' has no operation 'Bets'. Did you mean 'Best'?"],
    ["/Products/$ref/x", "The entity set 'Products' has no operation '$ref'."],
  ])("%s", (path, message) => {
    expect(errorOf(() => resolve(path))).toEqual([404, "NotFound", undefined, message]);
  });
});
