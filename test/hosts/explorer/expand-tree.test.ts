import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  expandNode,
  type ExpandNode,
  readExpand,
  readSelect,
  writeExpand,
  writeSelect,
} from "../../../explorer/src/query/expand-tree.ts";
import { syntaxContext } from "../../../explorer/src/query/syntax.ts";
import { parseExpand } from "../../../src/language/syntax/select-expand-parser.ts";

describe("the tree of $expand", () => {
  test.for([
    ["", []],
    ["Customer", [expandNode("Customer")]],
    [
      "Customer,Items/$count,*/$ref",
      [expandNode("Customer"), expandNode("Items", { suffix: "$count" }), expandNode("*", { suffix: "$ref" })],
    ],
    ["Shop.Order/Customer", [expandNode("Shop.Order/Customer")]],
    [
      "Items($select=No,Price;$filter=Name eq 'a,;)' and (No gt 5);$orderby=No desc;$top=5;$expand=Product($levels=2),Order)",
      [
        expandNode("Items", {
          select: ["No", "Price"],
          options: new Map([
            ["$filter", "Name eq 'a,;)' and (No gt 5)"],
            ["$orderby", "No desc"],
            ["$top", "5"],
          ]),
          expand: [expandNode("Product", { options: new Map([["$levels", "2"]]) }), expandNode("Order")],
        }),
      ],
    ],
    [
      'Items($search=O\'Brien OR "a,b"),Customer',
      [expandNode("Items", { options: new Map([["$search", 'O\'Brien OR "a,b"']]) }), expandNode("Customer")],
    ],
  ] as const)("of %s has this form, and the same text again", ([text, nodes]) => {
    expect(readExpand(text)).toEqual(nodes);
    expect(writeExpand(nodes)).toBe(text);
  });

  test("accepts blanks and empty parentheses", () => {
    expect(readExpand(" Items( $top=5 ; $select=No , Price ) , Customer()")).toEqual([
      expandNode("Items", { select: ["No", "Price"], options: new Map([["$top", "5"]]) }),
      expandNode("Customer"),
    ]);
  });

  test.for(["Items(", "Items($foo=1)", ",", "Items($filter=A eq)"])("is null for the fault of %s", (text) => {
    expect(readExpand(text)).toBeNull();
  });

  const options = fc
    .dictionary(fc.constantFrom("$filter", "$orderby", "$levels"), fc.constant(""), { noNullPrototype: true })
    .map(
      (chosen) =>
        new Map(
          Object.keys(chosen).map((name) => [
            name,
            { $filter: "contains(A,'(;,=''') or B eq 1", $orderby: "A desc,B", $levels: "2" }[name] ?? "",
          ]),
        ),
    );
  const { nodes } = fc.letrec<{ nodes: readonly ExpandNode[]; node: ExpandNode }>((tie) => ({
    node: fc
      .tuple(
        fc.constantFrom("Items", "Customer", "Address/Country"),
        fc.array(fc.constantFrom("A", "B/C"), { maxLength: 2 }),
        tie("nodes"),
        options,
      )
      .map(([path, select, expand, more]) => expandNode(path, { select, expand, options: more })),
    nodes: fc.oneof({ depthSize: "small" }, fc.constant([]), fc.array(tie("node"), { maxLength: 3 })),
  }));

  test("keeps whatever it wrote", () => {
    fc.assert(
      fc.property(nodes, (written) => {
        const text = writeExpand(written);
        if (text !== "") parseExpand(text, syntaxContext());
        expect(readExpand(text)).toEqual(written);
      }),
    );
  });
});

test("the paths of $select", () => {
  expect(readSelect("Id, Address/City ,*")).toEqual(["Id", "Address/City", "*"]);
  expect(readSelect("")).toEqual([]);
  expect(readSelect("Id,,")).toBeNull();
  expect(writeSelect(["Id", "Address/City"])).toBe("Id,Address/City");
});
