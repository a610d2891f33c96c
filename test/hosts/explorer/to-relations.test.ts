import { expect, test } from "vitest";
import type { EntitySet, Navigation } from "../../../explorer/src/model/model.ts";
import { countOf, namesOf, toRelations } from "../../../explorer/src/screens/relations/to-relations.ts";
import { entityType, property, setNamed } from "./sample-model.ts";

const TARGET = entityType("Any", [property("Id", "Int32")]);

/** Makes a navigation: `Customer` leads to one, `Orders*` to several; the name after `=` is its partner. */
function navigationOf(text: string): Navigation {
  const [, name = "", many, partner = null] = /^(\w+)(\*)?(?:=(\w+))?$/u.exec(text) ?? [];
  const isCollection = many === "*";
  const constraints = new Map(isCollection ? [] : [[`${name}Id`, "Id"]]);
  return { name, isCollection, partner, target: TARGET, isNullable: false, description: null, constraints };
}

function setOf(name: string, navigations: Readonly<Record<string, string>>): EntitySet {
  const all = Object.keys(navigations).map(navigationOf);
  const type = {
    ...entityType(name, [property("Id", "Int32")]),
    navigations: new Map(all.map((each) => [each.name, each])),
  };
  const bindings = new Map(all.map((each, index) => [each.name, Object.values(navigations)[index] ?? ""]));
  return { ...setNamed("Orders"), name, type, bindings };
}

function relationsOf(...sets: readonly EntitySet[]): readonly string[] {
  return toRelations({ sets: new Map(sets.map((set) => [set.name, set])) }).map(
    (each) => `${each.from} ${countOf(each.back)} > ${each.to} ${countOf(each.forth)}: ${namesOf(each)}`,
  );
}

test("a navigation and its partner are one relation, from the set that refers to the other", () => {
  const relation = "Orders many > Customers 1: Orders/Customer, Customers/Orders";
  const [orders, customers] = [{ "Customer=Orders": "Customers" }, { "Orders*=Customer": "Orders" }];
  expect(relationsOf(setOf("Orders", orders), setOf("Customers", customers))).toEqual([relation]);
  expect(relationsOf(setOf("Customers", customers), setOf("Orders", orders))).toEqual([relation]);
  const bare = { Customer: "Customers" };
  expect(relationsOf(setOf("Customers", customers), setOf("Orders", bare))).toEqual([relation]);
});

test("a partner leads back to the same set", () => {
  const owners = setOf("Owners", { "Cats*=Owner": "Cats", "Dogs*=Owner": "Dogs" });
  expect(relationsOf(setOf("Dogs", { Owner: "Owners" }), owners, setOf("Cats", { Owner: "Owners" }))).toEqual([
    "Dogs many > Owners 1: Dogs/Owner, Owners/Dogs",
    "Cats many > Owners 1: Cats/Owner, Owners/Cats",
  ]);
});

test("a navigation alone has no number at its beginning; one of a set without a set is left out", () => {
  expect(relationsOf(setOf("A", { "Bs*": "B", One: "B", Lost: "Nowhere" }), setOf("B", {}))).toEqual([
    "B many > A : A/Bs",
    "A  > B 1: A/One",
  ]);
  expect(relationsOf(setOf("People", { "Boss=Team": "People", "Team*=Boss": "People" }))).toEqual([
    "People many > People 1: People/Boss, People/Team",
  ]);
});
