import { expect, test } from "vitest";
import { exactOptions, type Reference, referenceOf, searchOptions } from "../../../explorer/src/query/reference.ts";
import { property, setNamed } from "./sample-model.ts";

const customers = setNamed("Customers");
const [code, name] = ["Code", "Name"].map((each) => customers.type.properties.get(each)!);
const CUSTOMER: Reference = { set: customers, property: code!, label: [name!] };

const AUTHOR: Reference = {
  set: customers,
  property: property("Id", "Int64"),
  label: [property("First", "String"), property("Last", "String")],
};

function textOf(options: ReadonlyMap<string, string> | null): string | null {
  return options && Array.from(options, ([option, text]) => `${option}=${text}`).join("&");
}

const OF_AUTHOR = "$select=Id,First,Last&$top=8";

test.for([
  [CUSTOMER, "", "$select=Code,Name&$top=8"],
  [CUSTOMER, "Al", "$filter=contains(tolower(Name),'al') or contains(tolower(Code),'al')&$select=Code,Name&$top=8"],
  [AUTHOR, "O'N", `$filter=contains(tolower(First),'o''n') or contains(tolower(Last),'o''n')&${OF_AUTHOR}`],
  [
    AUTHOR,
    " ru kip ",
    `$filter=(contains(tolower(First),'ru') or contains(tolower(Last),'ru')) and (contains(tolower(First),'kip') or contains(tolower(Last),'kip'))&${OF_AUTHOR}`,
  ],
] as const)("a search finds each word in a label, in any case: %#", ([reference, text, options]) => {
  expect(textOf(searchOptions(reference, text))).toBe(options);
});

test("a search uses $search where labels cannot be filtered, and nothing where it cannot either", () => {
  const withAbilities = (canSearch: boolean): Reference => ({
    ...CUSTOMER,
    set: { ...customers, abilities: { ...customers.abilities, canSearch, filterable: (path) => path === "Code" } },
  });
  expect(textOf(searchOptions(withAbilities(true), 'a "b'))).toBe('$search=a "\\"b"&$select=Code,Name&$top=8');
  expect(searchOptions(withAbilities(false), "a")).toBeNull();
});

test("an exact value is found as it is typed, and a text that is no value finds nothing", () => {
  expect(["9007199254740993", "x", ""].map((typed) => textOf(exactOptions(AUTHOR, typed)))).toEqual([
    "$filter=Id eq 9007199254740993&$select=Id,First,Last&$top=1",
    null,
    null,
  ]);
  expect(textOf(exactOptions(CUSTOMER, "O'N"))).toBe("$filter=Code eq 'O''N'&$select=Code,Name&$top=1");
});

test("a property refers to a set by a constraint of one property, if the user may search in the set", () => {
  const orders = setNamed("Orders");
  const constraints = (
    pairs: Readonly<Record<string, string>>,
    abilities: Partial<typeof customers.abilities> = {},
  ) => {
    const navigation = { ...orders.type.navigations.get("Customer")!, constraints: new Map(Object.entries(pairs)) };
    const type = { ...orders.type, navigations: new Map([["Customer", navigation]]) };
    const target = { ...customers, abilities: { ...customers.abilities, ...abilities } };
    const sets = new Map([["Customers", target]]);
    const model = {
      title: "",
      description: null,
      sets,
      singletons: new Map(),
      types: new Map(),
      enums: new Map(),
      operations: [],
    };
    return referenceOf(model, { type, set: orders, isCollection: true }, "Total")?.property.name ?? null;
  };
  expect([
    constraints({ Total: "Code" }),
    constraints({ Id: "Code" }),
    constraints({ Total: "Code", Id: "Name" }),
    constraints({ Total: "Missing" }),
    constraints({ Total: "Code" }, { canRead: false }),
    constraints({ Total: "Code" }, { filterable: () => false }),
  ]).toEqual(["Code", null, null, null, null, null]);
});
