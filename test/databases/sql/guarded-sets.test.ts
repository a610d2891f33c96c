import { Kysely } from "kysely";
import {
  allRows,
  authenticated,
  ConfigurationError,
  edm,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  resource,
} from "odatakit";
import { sqlEntitySet, type SqlOperation } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";

const Parent = entityType("Parent", { id: edm.int32().key(), name: edm.string() });
const Child = entityType("Child", { id: edm.int32().key(), parentId: edm.int32().nullable() });
const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
const mine = resource(() => true);
const rows = (): typeof allRows => allRows;

interface Given {
  readonly parents: readonly SqlOperation[];
  readonly children: readonly SqlOperation[];
  readonly ofParents?: object;
  readonly ofChildren?: object;
}

/** The faults of two sets over tables, with navigations from each to the other. */
function faultsOf({ parents, children, ofParents = {}, ofChildren = {} }: Given): readonly string[] {
  const sets = [
    sqlEntitySet(Parent, {
      db,
      table: "parents",
      operations: parents,
      navigation: {
        children: hasMany(Child, { on: { id: "parentId" }, target: "Children" }),
      },
      authorization: ofParents,
    }),
    sqlEntitySet(Child, {
      db,
      table: "children",
      name: "Children",
      operations: children,
      navigation: { parent: hasOptional(Parent, { on: { parentId: "id" }, target: "Parents" }) },
      authorization: ofChildren,
    }),
  ];
  try {
    odataService({ entitySets: sets });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(
      ({ set, method, route, message }) => `${String(set)}: ${String(method)} ${String(route)}: ${message}`,
    );
  }
  return [];
}

const ALL = ["read", "create", "replace", "patch", "delete"] as const;

describe("sets over tables with row rules", () => {
  test("can be checked wherever they are read", () => {
    expect(faultsOf({ parents: ALL, children: ALL, ofParents: { all: mine, rows }, ofChildren: { rows } })).toEqual([]);
    expect(faultsOf({ parents: ["read"], children: ALL, ofParents: { all: authenticated(), rows } })).toEqual([]);
    expect(faultsOf({ parents: ["create"], children: ["read"], ofParents: { create: mine } })).toEqual([]);
  });

  test("need `rows` where checks of entities cannot be part of a query", () => {
    expect(faultsOf({ parents: ["read"], children: ["read"], ofParents: { read: mine } })).toEqual([
      "Parents: GET /Parents: `read` requires resource(…), which cannot be part of a query, but the collection can be read and the set has no `rows`.",
    ]);
  });

  test("must be readable where handlers of the framework address entities", () => {
    const noKey =
      "`authorization.rows` hides entities, but without `getByKey` the service cannot check whether an entity is hidden.";
    expect(faultsOf({ parents: ["create"], children: ["read", "create"], ofParents: { rows } })).toEqual([
      `Parents: POST /Parents({key})/Children: ${noKey}`,
    ]);
    expect(faultsOf({ parents: ["patch"], children: ["read"], ofParents: { rows } })).toEqual([
      `Parents: PATCH /Parents({key}): ${noKey}`,
    ]);
    expect(faultsOf({ parents: ["patch", "create"], children: ["patch"], ofParents: { create: mine } })).toEqual([
      "Parents: POST /Parents({key})/Children/$ref: `create` requires resource(…), but no `getByKey` loads the entity that it checks.",
    ]);
  });

  test("need nothing for handlers that the other table lacks", () => {
    expect(faultsOf({ parents: ["create"], children: ["read"], ofParents: { rows } })).toEqual([]);
  });
});
