import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filterPaths, sortPaths } from "../../../explorer/src/parts/query-form/filter-paths.ts";
import { resolvePath } from "../../../explorer/src/query/resolve-type.ts";
import { faultIn, faultOfService, textOf, withText, wordAt } from "../../../explorer/src/screens/query/query-view.ts";
import { parseFragment, resourceUrl, viewOf } from "../../../explorer/src/state/view.ts";
import { MODEL } from "./sample-model.ts";

const ROOT = "http://localhost/odata/";

describe("the text of a query and the view of the page", () => {
  test("the text has the path, the options and the aliases; choices of the page stay with the view", () => {
    const view = parseFragment("#/query/Orders?$filter=Total gt @least&@least=5&kind=bars&x=Color");
    expect(textOf(view)).toBe("Orders?$filter=Total gt @least&@least=5");
    expect(withText(view, `${ROOT}Customers?$top=5`, ROOT)).toEqual(
      viewOf("query", "Customers", [
        ["kind", "bars"],
        ["x", "Color"],
        ["$top", "5"],
      ]),
    );
  });

  test("an option without a value is not sent yet", () => {
    expect(withText(viewOf("query"), "Orders?$filter=&$top=5", ROOT)).toEqual(
      viewOf("query", "Orders", [["$top", "5"]]),
    );
  });

  test("aliases are sent", () => {
    expect(resourceUrl(withText(viewOf("query"), "Orders?$filter=Id eq @a&@a=1&$top=5", ROOT))).toBe(
      "Orders?$filter=Id%20eq%20@a&@a=1&$top=5",
    );
  });

  test("reading the text of a view gives the view again", () => {
    const option = fc.constantFrom("$filter", "$search", "$compute", "@a");
    fc.assert(
      fc.property(fc.dictionary(option, fc.string({ unit: "binary", minLength: 1 })), (options) => {
        const view = viewOf("query", "Orders", Object.entries(options));
        expect(withText(view, textOf(view), ROOT)).toEqual(view);
      }),
    );
  });
});

describe("faults of a text", () => {
  test.for([
    ["Orders?$filter=Total gt 5", null, null],
    ["Orders?$filter=Total gtt 5", 21, "Total gtt"],
    ["Orders?filter=Total gt 5", 7, "Did you mean $filter?"],
  ] as const)("%s", ([text, position, message]) => {
    const fault = faultIn(text, ROOT);
    expect(fault?.position ?? null).toBe(position);
    if (message !== null && message.startsWith("Did")) expect(fault?.message).toContain(message);
  });

  test("the service names the place within the option; it is shown within the text", () => {
    const text = "Orders?$top=5&$filter=Total%20gt 5 and Statuss eq 1";
    const fault = faultOfService(text, ROOT, "$filter at position 15: 'Order' has no property 'Statuss'.");
    expect(fault).toEqual({
      option: "$filter",
      position: text.indexOf("Statuss"),
      message: "'Order' has no property 'Statuss'.",
    });
    expect(wordAt(text, fault?.position ?? 0)).toBe("Statuss");
  });

  test("a message without a place, or of an option that the text lacks, leads nowhere", () => {
    expect(faultOfService("Orders", ROOT, "Something failed.")).toBeNull();
    expect(faultOfService("Orders", ROOT, "$filter at position 3: no")).toBeNull();
  });

  test("the word of a fault is empty at the end of the text", () => {
    expect(wordAt("Orders", 6)).toBe("");
    expect(wordAt("b c", 0)).toBe("b");
  });
});

describe("what a builder offers", () => {
  const place = resolvePath(MODEL, "Orders") ?? expect.fail("no set");

  test("conditions begin with own properties, those of to-one navigations, and collections", () => {
    expect(filterPaths(place).map(({ name }) => name)).toEqual([
      "Id",
      "Total",
      "PlacedAt",
      "Color",
      "Days",
      "IsPaid",
      "Customer/Code",
      "Customer/Name",
      "Customer/Address/City",
      "Customer/Address/Zip",
      "Tags/$it",
      "Items/OrderId",
      "Items/No",
      "Items/Price",
    ]);
  });

  test("conditions on the items of a collection begin with their properties, or with the value", () => {
    const itemsOf = (name: string): readonly string[] =>
      filterPaths(place).flatMap(({ collection, path }) => (collection === name ? [path] : []));
    expect(itemsOf("Items")).toEqual(["OrderId", "No", "Price"]);
    expect(itemsOf("Tags")).toEqual([""]);
    expect(itemsOf("Total")).toEqual([]);
  });

  test("an order has single values only", () => {
    expect(sortPaths(place)).toEqual(
      expect.arrayContaining(["Id", "Secret", "Customer/Name", "Customer/Address/City"]),
    );
    expect(sortPaths(place)).not.toContain("Tags");
  });
});
