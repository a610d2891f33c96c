import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ObjectName } from "../../../../src/databases/introspect/database-schema.ts";
import { isSimpleIdentifier } from "../../../../src/definition/names.ts";
import { chooseNames } from "../../../../src/tools/declarations/names/choose-names.ts";
import {
  type MemberName,
  type NamingInput,
  type NamingOptions,
  objectKey,
  type ServiceNames,
} from "../../../../src/tools/declarations/names/naming.ts";
import { caseCount } from "../../../cases.ts";
import { USUAL } from "./naming-input.ts";

const TABLES = ["user", "users", "order", "order_line", "OrderLines", "people", "tag", "user_tag", "Möbel", "%", "a b"];
const COLUMNS = [
  "id",
  "user_id",
  "UserID",
  "order",
  "order_id",
  "owner",
  "owner_id",
  "line_no",
  "Users",
  "tags",
  "Tag",
  "__proto__",
];

const object = fc.record({
  schema: fc.constantFrom("public", "sales"),
  name: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...TABLES) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  ),
  columns: fc.uniqueArray(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...COLUMNS) }, { weight: 1, arbitrary: fc.string() }),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
  enumColumns: fc.constant<readonly string[]>([]),
});

/** Relations and links between tables by their positions. */
const input = fc
  .record({
    objects: fc.uniqueArray(object, {
      minLength: 1,
      maxLength: 6,
      selector: ({ schema, name }) => `${schema}.${name}`,
    }),
    relations: fc.array(
      fc.record({
        from: fc.nat(),
        to: fc.nat(),
        column: fc.nat(),
        columns: fc.integer({ min: 1, max: 2 }),
        isUnique: fc.boolean(),
      }),
      { maxLength: 8 },
    ),
    links: fc.array(fc.record({ link: fc.nat(), from: fc.nat(), to: fc.nat() }), { maxLength: 4 }),
    enumTypes: fc.uniqueArray(fc.constantFrom("state", "order", "user_tag"), { maxLength: 2 }),
  })
  .map(({ objects, relations, links, enumTypes }): NamingInput => {
    const at = <Item>(items: readonly Item[], index: number): Item => {
      const item = items[index % items.length];
      if (item === undefined) throw new Error("The list is empty.");
      return item;
    };
    return {
      objects,
      relations: relations.map(({ from, to, column, columns, isUnique }, index) => {
        const own = at(objects, from);
        const start = column % own.columns.length;
        return {
          id: `r${index}`,
          from: own,
          columns: own.columns.slice(start, start + columns),
          to: at(objects, to),
          isUnique,
        };
      }),
      links: links.map(({ link, from, to }, index) => {
        const own = at(objects, link);
        const side = (target: number): NamingInput["links"][number]["to"] => ({
          columns: [at(own.columns, target)],
          target: at(objects, target),
        });
        return { id: `l${index}`, link: own, from: side(from), to: side(to) };
      }),
      enumTypes: enumTypes.map((name) => ({ schema: "public", name })),
    };
  });

const options = fc.record({
  style: fc.constantFrom<NamingOptions["style"]>("as-is", "idiomatic"),
  names: fc.dictionary(
    fc.oneof(
      fc.constantFrom(...TABLES),
      fc
        .tuple(fc.constantFrom("User", "OrderLine", "order", "Tag"), fc.constantFrom(...COLUMNS, "Users"))
        .map((parts) => parts.join(".")),
    ),
    fc.constantFrom("User", "Users", "Id", "Owner", "Tags", "x y", "A/B"),
    { maxKeys: 3 },
  ),
  defaultSchema: fc.constant("public"),
});

describe("the names of any database", () => {
  test("are identifiers that differ in more than case, unless there are faults", () => {
    fc.assert(
      fc.property(input, options, (given, chosen) => {
        const names = chooseNames(given, chosen);
        const objects = [...names.objects.values()];
        const types = [...objects.map(({ typeName }) => typeName), ...names.enumTypes.values()];
        expect(names.objects.size).toBe(given.objects.length);
        if (names.faults.length === 0) expectDistinct(types);
        expectDistinct(objects.map(({ setName }) => setName));
        for (const members of membersOf(given, names)) {
          expectDistinct(members.map(({ name }) => name));
          expectDistinct(members.map(({ field }) => field));
          expect(members.map(({ field }) => field)).not.toContain("__proto__");
        }
      }),
      { numRuns: caseCount(2000) },
    );
  });

  test("another foreign key, link or table renames only with a warning, or between the same two tables", () => {
    fc.assert(
      fc.property(input, fc.nat(), fc.constantFrom("objects", "relations", "links"), (given, index, part) => {
        const smaller = without(given, part, index);
        const before = placedNames(smaller);
        const siblings = ofChangedPairs(smaller, given);
        const after = placedNames(given);
        for (const [id, was] of before.names) {
          const is = after.names.get(id);
          if (is === was || is === undefined || siblings.has(id)) continue;
          expect(
            before.explained.has(was) || after.explained.has(is) || before.hasTableClash || after.hasTableClash,
          ).toBe(true);
        }
      }),
      { numRuns: caseCount(2000) },
    );
  });
});

/** The navigations between two tables of which one input has more foreign keys than the other. */
function ofChangedPairs(one: NamingInput, other: NamingInput): ReadonlySet<string> {
  const pairOf = ({ from, to }: NamingInput["relations"][number]): string => `${objectKey(from)} ${objectKey(to)}`;
  const count = (given: NamingInput, pair: string): number =>
    given.relations.filter((each) => pairOf(each) === pair).length;
  const changed = other.relations.filter((each) => count(one, pairOf(each)) !== count(other, pairOf(each)));
  return new Set(changed.flatMap(({ id }) => [`${id} to one`, `${id} reverse`]));
}

/** Names with the sets that they belong to, as the places of warnings. */
interface PlacedNames {
  readonly names: ReadonlyMap<string, string>;
  readonly explained: ReadonlySet<string>;
  readonly hasTableClash: boolean;
}

function placedNames(given: NamingInput): PlacedNames {
  const { objects, relations, links, warnings } = chooseNames(given, USUAL);
  const setOf = (name: ObjectName): string => objects.get(objectKey(name))?.setName ?? "";
  const names = new Map<string, string>();
  for (const [key, { setName, properties }] of objects) {
    names.set(key, setName);
    for (const [column, { name }] of properties) names.set(`${key} ${column}`, `${setName}.${name}`);
  }
  for (const { id, from, to } of given.relations) {
    names.set(`${id} to one`, `${setOf(from)}.${relations.get(id)?.toOne.name ?? ""}`);
    names.set(`${id} reverse`, `${setOf(to)}.${relations.get(id)?.reverse.name ?? ""}`);
  }
  for (const { id, from } of given.links) names.set(id, `${setOf(from.target)}.${links.get(id)?.name ?? ""}`);
  const explained = new Set(warnings.map(({ place }) => place));
  return {
    names,
    explained,
    hasTableClash: Array.from(objects.values()).some(({ setName }) => explained.has(setName)),
  };
}

function without(given: NamingInput, part: "links" | "objects" | "relations", index: number): NamingInput {
  const smaller = { ...given, [part]: given[part].filter((_item, place) => place !== index % given[part].length) };
  const isKept = (name: ObjectName): boolean => smaller.objects.some((kept) => objectKey(kept) === objectKey(name));
  return {
    ...smaller,
    relations: smaller.relations.filter(({ from, to }) => isKept(from) && isKept(to)),
    links: smaller.links.filter(({ link, from, to }) => [link, from.target, to.target].every(isKept)),
  };
}

function expectDistinct(names: readonly string[]): void {
  expect(names.filter((name) => !isSimpleIdentifier(name))).toEqual([]);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
}

function membersOf(
  given: NamingInput,
  { objects, relations, links }: ServiceNames,
): ReadonlyArray<readonly MemberName[]> {
  const members = new Map<string, MemberName[]>();
  const add = (object: ObjectName, member: MemberName | undefined): void => {
    if (member === undefined) throw new Error("A member has no name.");
    members.set(objectKey(object), [...(members.get(objectKey(object)) ?? []), member]);
  };
  for (const object of given.objects) {
    for (const column of object.columns) add(object, objects.get(objectKey(object))?.properties.get(column));
  }
  for (const { id, from, to } of given.relations) {
    add(from, relations.get(id)?.toOne);
    add(to, relations.get(id)?.reverse);
  }
  for (const { id, from } of given.links) add(from.target, links.get(id));
  return [...members.values()];
}
