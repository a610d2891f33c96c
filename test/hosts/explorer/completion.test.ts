import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { complete } from "../../../explorer/src/query/completion.ts";
import { isCollection, memberAt, resolvePath } from "../../../explorer/src/query/resolve-type.ts";
import { MODEL } from "./sample-model.ts";

/** The labels of the suggestions at the mark `¦` of a text. */
function labels(marked: string): readonly string[] {
  return complete(marked.replace("¦", ""), marked.indexOf("¦"), MODEL).items.map(({ label }) => label);
}

/** The text after the suggestion of a label was chosen at the mark. */
function chosen(marked: string, label: string): string {
  const text = marked.replace("¦", "");
  const { from, to, items } = complete(text, marked.indexOf("¦"), MODEL);
  const item = items.find((each) => each.label === label);
  return text.slice(0, from) + (item?.insert ?? `no ${label}`) + text.slice(to);
}

const ORDER = ["Id", "Total", "PlacedAt", "Color", "Days", "IsPaid", "Tags", "Secret", "Photo"];

describe("suggestions", () => {
  test.for([
    ["¦", ["Orders", "Customers", "Items", "TopOrders(count)"]],
    ["Ord¦", ["Orders", "TopOrders(count)"]],
    ["Orders(1)/¦", [...ORDER, "Customer", "Items"]],
    ["Orders/¦", ["$count"]],
    ["Orders(1)/Customer/Na¦", ["Name"]],
    [
      "Orders?¦",
      ["$filter", "$orderby", "$select", "$expand", "$top", "$skip", "$count", "$search", "$apply", "$compute"],
    ],
    ["Orders?$top=5&$s¦", ["$select", "$skip", "$search"]],
    ["Orders?$select=Id,T¦", ["Total", "Tags", "PlacedAt", "Secret", "Photo"]],
    ["Orders?$count=¦", ["true", "false"]],
    ["Orders?$orderby=Id ¦", null, ["asc", "desc", "add"]],
    ["Orders?$orderby=Id desc,Tot¦", null, ["Total"]],
    ["Orders?$filter=¦", null, [...ORDER, "Customer", "Items", "contains(text,part)", "not"]],
    ["Orders?$filter=Tot¦", null, ["Total", "totalseconds(duration)", "totaloffsetminutes(time)"]],
    ["Orders?$filter=Total ¦", null, ["eq", "gt", "and", "mul"]],
    ["Orders?$filter=Days ¦", null, ["has", "eq"]],
    ["Orders?$filter=Color eq ¦", null, ["Red", "Blue", "null"]],
    ["Orders?$filter=Color in (Shop.Color'Red',¦", null, ["Red", "Blue"]],
    ["Orders?$filter=Color eq Shop.Color'Bl¦", ["Blue"]],
    ["Orders?$filter=Color eq Shop.Color'Red'¦", null, ["and", "or"]],
    ["Orders?$filter=IsPaid eq ¦", null, ["true", "false", "null"]],
    ["Orders?$filter=Customer/¦", ["Code", "Name", "Address"]],
    ["Orders?$filter=Customer/Address/C¦", ["City"]],
    ["Orders?$filter=Items/¦", ["any(x:…)", "all(x:…)", "$count"]],
    ["Orders?$filter=Items/any(x:x/¦", ["OrderId", "No", "Price"]],
    ["Orders?$filter=Items/any(x:x/No eq 1) and ¦", null, ["Total"]],
    ["Orders?$filter=Items/any(x:¦", null, ["x", "Total"]],
    ["Orders?$filter=contains(Customer/N¦", ["Name"]],
    ["Orders?$filter=Secret eq 'Tot¦", []],
    ["Orders?$filter=not ¦", null, ["IsPaid"]],
    ["Orders?$compute=Total mul 2 as Twice&$select=Tw¦", ["Twice"]],
    ["Orders?$expand=¦", ["Customer", "Items"]],
    ["Orders?$expand=Customer,It¦", ["Items"]],
    ["Orders?$expand=Items(¦", null, ["$filter", "$select", "$levels"]],
    ["Orders?$expand=Items($top=1;$sel¦", ["$select"]],
    ["Orders?$expand=Items($select=No,¦", ["OrderId", "No", "Price"]],
    ["Orders?$expand=Items($filter=Price gt 5 and ¦", null, ["OrderId", "No", "Price"]],
    ["Customers?$expand=Orders($expand=¦", ["Customer", "Items"]],
    ["Customers?$expand=Orders($expand=Items($select=Pr¦", ["Price"]],
    ["Customers('A')/Orders?$select=Tot¦", ["Total"]],
    ["TopOrders(count=5)?$select=Tot¦", ["Total"]],
    ["Orders?$apply=¦", null, ["filter(…)", "groupby((…),…)", "aggregate(…)"]],
    ["Orders?$apply=filter(Tot¦", null, ["Total"]],
    ["Orders?$apply=filter(Total gt 5)¦", ["/"]],
    ["Orders?$apply=filter(Total gt 5)/g¦", null, ["groupby((…),…)"]],
    ["Orders?$apply=groupby((Col¦", ["Color"]],
    ["Orders?$apply=groupby((Color,Customer/¦", ["Code", "Name", "Address"]],
    ["Orders?$apply=groupby((Color),¦", null, ["aggregate(…)"]],
    ["Orders?$apply=groupby((Color),aggregate(Tot¦", ["Total"]],
    ["Orders?$apply=groupby((Color),aggregate(Total ¦", ["with"]],
    ["Orders?$apply=groupby((Color),aggregate(Total with ¦", ["sum", "average", "min", "max", "countdistinct"]],
    ["Orders?$apply=groupby((Color),aggregate(Total with sum ¦", ["as"]],
    ["Orders?$apply=groupby((Color),aggregate($count ¦", ["as"]],
    ["Orders?$apply=groupby((Color),aggregate($count as ¦", []],
    [
      "Orders?$apply=groupby((Color),aggregate($count as Number,Total with sum as Sum))/topcount(5,¦",
      null,
      ["Number", "Sum", "Color"],
    ],
    ["Orders?$apply=tops¦", ["topsum(n,…)"]],
    ["Orders?$apply=toppercent(50,Tot¦", ["Total"]],
    ["Orders?$apply=aggregate(Ite¦", null, ["Items"]],
    ["Orders?$apply=aggregate(Items/Pr¦", ["Price"]],
    ["Orders?$apply=aggregate(Items/$c¦", ["$count"]],
    ["Orders?$apply=aggregate(Items/$count ¦", ["as"]],
    ["Orders?$apply=jo¦", ["join(…,…)", "outerjoin(…,…)"]],
    ["Orders?$apply=join(¦", ["Customer", "Items"]],
    ["Orders?$apply=outerjoin(Items ¦", ["as"]],
    ["Orders?$apply=groupby((Color)) ¦", ["/"]],
    ["Orders?$apply=filter($th¦", ["$these"]],
    ["Orders?$apply=groupby((Color),compute(Total div $these/¦", ["$count", "aggregate(…)"]],
    ["Orders?$apply=filter(not ($these/ag¦", ["aggregate(…)"]],
    ["Orders?$apply=filter($these/aggregate(Tot¦", ["Total"]],
    ["Orders?$apply=filter($these/aggregate(Total ¦", ["with"]],
    ["Orders?$apply=filter($these/aggregate(Total with sum ¦", []],
    ["Orders?$apply=filter($these/aggregate(Total with sum) ¦", null, ["gt"]],
    ["Orders?$apply=filter($these/$count ¦", null, ["gt"]],
    ["Orders?$filter=$th¦", []],
    ["Orders?$filter=Secret eq 'why?¦", []],
    ["Orders?$top=5& ¦", null, ["$filter"]],
    ["Orders?$filter=Total > 5 and ¦", null, ["Total", "IsPaid"]],
    ["Orders?$filter=Items/any(x:x/No eq 1 and x/¦", ["OrderId", "No", "Price"]],
    ["Orders?$expand=*,¦", ["Customer", "Items"]],
    ['Orders?$expand=Items($search="a b";$sel¦', ["$select"]],
    ["Orders?$expand=Items($filter=Price gt 5;$orderby=No ¦", null, ["asc", "desc"]],
    ["Orders?$expand=Items($filter=Price gt 5),Cu¦", ["Customer"]],
    ["Nothing?$filter=¦", []],
  ] as const)("for %s", ([marked, all, some = []]) => {
    if (all !== null) expect(labels(marked)).toEqual(all);
    expect(labels(marked)).toEqual(expect.arrayContaining([...some]));
  });

  test("replace the word at the cursor, on both of its sides", () => {
    expect(chosen("Ord¦ers?$top=5", "Orders")).toBe("Orders?$top=5");
    expect(chosen("Orders?$fil¦&$top=5", "$filter")).toBe("Orders?$filter=&$top=5");
    expect(chosen("Orders?$filter=Customer/Na¦m eq 'a'", "Name")).toBe("Orders?$filter=Customer/Name eq 'a'");
    expect(chosen("Orders?$filter=con¦", "contains(text,part)")).toBe("Orders?$filter=contains(");
    expect(chosen("Orders?$filter=Color eq Shop.Color'R¦e'", "Red")).toBe("Orders?$filter=Color eq Shop.Color'Red'");
    expect(chosen("Orders?$filter=Color eq Re¦", "Red")).toBe("Orders?$filter=Color eq Shop.Color'Red'");
    expect(chosen("Orders?$filter=Items/a¦", "any(x:…)")).toBe("Orders?$filter=Items/any(x:");
    expect(chosen("Top¦", "TopOrders(count)")).toBe("TopOrders(");
  });

  test("describe what they are", () => {
    const { items } = complete("Customers('A')/", 15, MODEL);
    expect(items).toEqual([
      { label: "Code", kind: "property", description: "String", insert: "Code" },
      { label: "Name", kind: "property", description: "String · how we call them", insert: "Name" },
      { label: "Address", kind: "property", description: "Address", insert: "Address" },
      { label: "Orders", kind: "navigation", description: "collection of Order", insert: "Orders" },
    ]);
  });

  test("never throw, and replace a range of the text", () => {
    const text = fc.stringMatching(/^Orders\?\$(?:filter|expand|apply|orderby)=[A-Z()/ ,;:='$anyx]*$/u);
    fc.assert(
      fc.property(text, fc.nat(), (written, at) => {
        const cursor = at % (written.length + 1);
        const { from, to } = complete(written, cursor, MODEL);
        expect(0 <= from && from <= cursor && cursor <= to && to <= written.length).toBe(true);
      }),
    );
  });
});

test.for([
  ["Orders", "Order", true, "Orders"],
  ["Orders(1)", "Order", false, "Orders"],
  ["Orders(1)/Customer", "Customer", false, "Customers"],
  ["Customers('a/b(')/Orders", "Order", true, "Orders"],
  ["Customers('a/b(')/Orders(5)/Items/$count", "Item", true, "Items"],
  ["Customers('a')/Address", "Address", false, "Customers"],
  ["Orders/Shop.Order", "Order", true, "Orders"],
  ["TopOrders(count=5)", "Order", true, "Orders"],
] as const)("the path %s leads to %s", ([path, type, isMany, set]) => {
  const place = resolvePath(MODEL, path);
  expect([place?.type.name, place?.isCollection, place?.set?.name]).toEqual([type, isMany, set]);
});

test.for(["", "Nothing", "Orders(1)/Id", "Orders(1)/Nothing/Customer"])("the path %j leads to no entity", (path) => {
  expect(resolvePath(MODEL, path)).toBeNull();
});

test("the path of an expression leads to a member", () => {
  const type = MODEL.sets.get("Orders")?.type;
  if (type === undefined) throw new Error("The model has no orders.");
  const items = memberAt(type, "Items");
  expect(memberAt(type, "Customer/Address/City")?.property?.name).toBe("City");
  expect(items?.navigation?.name).toBe("Items");
  expect(items !== null && isCollection(items)).toBe(true);
  expect(memberAt(type, "Id/Nothing")).toBeNull();
});
