import {
  anyOf,
  authenticated,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  hasMany,
  odataService,
  resource,
  role,
  type ConfigurationFault,
} from "odatakit";
import { describe, expect, test } from "vitest";

const Line = entityType("Line", { id: edm.int32().key(), employeeId: edm.int32() });
const Employee = entityType("Employee", {
  id: edm.int32().key(),
  salary: edm.decimal(),
  secret: edm.string().ignored(),
  born: edm.date().immutable(),
  version: edm.int32().computed(),
});

/** JavaScript callers can pass any value. */
const untyped = (value: unknown): never => value as never;

function faultsOf(properties: unknown, options: object = {}): readonly ConfigurationFault[] {
  const employees = entitySet(
    Employee,
    untyped({
      getAll: () => [],
      getByKey: () => null,
      navigation: { lines: hasMany(Line, { get: () => [] }) },
      authorization: { properties },
      ...options,
    }),
  );
  try {
    odataService({ entitySets: [employees, entitySet(Line, { getAll: () => [] })] });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

interface Row {
  readonly title: string;
  readonly properties: unknown;
  readonly faults: ReadonlyArray<readonly [message: string, fix: string]>;
}

const row = (title: string, properties: unknown, ...faults: Row["faults"]): Row => ({ title, properties, faults });

const set = "Employees";
const EXAMPLE = '{ salary: { read: role("hr"), update: role("hr") } }';
const RULE_FIX =
  "Use `authenticated()`, `role(…)`, `anyOf(…)` or `resource(…)`, or a list of rules that must all pass.";
const UNDEFINED_FIX = "Give a rule, or leave it out. An empty list lets every user through.";
const hr = role("hr");

describe("startup refuses in property rules", () => {
  test.each<Row>([
    row("a list", [hr], ["`authorization.properties` is an array.", `Give an object of properties: ${EXAMPLE}.`]),
    row("null", null, ["`authorization.properties` is null.", `Give an object of properties: ${EXAMPLE}.`]),
    row(
      "unknown names",
      { salery: { read: hr }, lines: { read: hr }, constructor: {} },
      ["`authorization.properties.salery` names no property of Employee.", "Did you mean `salary`?"],
      [
        "`authorization.properties.lines` names no property of Employee.",
        "Remove it, or use one of `id`, `salary`, `secret`, `born`, `version`.",
      ],
      [
        "`authorization.properties.constructor` names no property of Employee.",
        "Remove it, or use one of `id`, `salary`, `secret`, `born`, `version`.",
      ],
    ),
    row("a rule in place of rules", { salary: hr }, [
      "`authorization.properties.salary` is a rule.",
      `Give an object of rules: ${EXAMPLE}.`,
    ]),
    row("a list in place of rules", { salary: [hr] }, [
      "`authorization.properties.salary` is an array.",
      `Give an object of rules: ${EXAMPLE}.`,
    ]),
    row("unknown rules", { salary: { write: hr } }, [
      "`authorization.properties.salary` has no rule `write`.",
      "Remove it, or use one of `read`, `create`, `update`.",
    ]),
    row(
      "undefined in place of a rule, as a missing constant is",
      { salary: { read: undefined }, born: { read: hr, create: undefined } },
      ["`authorization.properties.salary.read` is undefined.", UNDEFINED_FIX],
      ["`authorization.properties.born.create` is undefined.", UNDEFINED_FIX],
    ),
    row(
      "no rule at all",
      { salary: {}, born: undefined },
      ["`authorization.properties.salary` has no rule.", `Give at least one, such as ${EXAMPLE}, or remove it.`],
      ["`authorization.properties.born` is undefined.", `Give an object of rules: ${EXAMPLE}.`],
    ),
    row("unknown rules that a prototype has", { salary: Object.create({ read: hr, write: hr }) as object }, [
      "`authorization.properties.salary` has no rule `write`.",
      "Remove it, or use one of `read`, `create`, `update`.",
    ]),
    row(
      "other values than rules",
      { salary: { read: "hr", update: [hr, null] } },
      ['`authorization.properties.salary.read` is "hr".', RULE_FIX],
      ["`authorization.properties.salary.update` contains null at position 1.", RULE_FIX],
    ),
    row(
      "a check of the entity",
      {
        salary: {
          read: anyOf(
            hr,
            resource(() => true),
          ),
        },
      },
      [
        "`authorization.properties.salary.read` contains resource(…), but the rules of properties depend on the user alone.",
        "Use role(…), or move it into `authorization.read` of the set.",
      ],
    ),
    row("a key", { id: { read: hr } }, [
      "`authorization.properties` has rules for `id`, which is part of the key: URLs, links and references contain it.",
      "Use a key that every user may know.",
    ]),
    row("an ignored property", { secret: { read: hr } }, [
      "`authorization.properties` has rules for `secret`, which is ignored: no client sees or writes it.",
      "Remove them.",
    ]),
    row(
      "writes of computed properties, and updates of immutable ones",
      { version: { create: hr }, born: { update: hr } },
      [
        "`authorization.properties` has rules for `version` to write it, but it is computed: values of clients are ignored.",
        "Remove them.",
      ],
      [
        "`authorization.properties` has rules for `born` to update it, but it is immutable: updates ignore it.",
        "Remove them.",
      ],
    ),
  ])("$title", ({ properties, faults }) => {
    expect(faultsOf(properties)).toEqual(faults.map(([message, fix]) => ({ set, message, fix })));
  });

  test("a property whose value an ETag would reveal", () => {
    expect(faultsOf({ salary: { read: hr } }, { etag: ["salary"] })).toEqual([
      {
        set,
        message:
          "`authorization.properties` has rules for `salary`, which is part of `etag`: clients could find the value that an ETag was made from.",
        fix: "Make the ETag of a property that every user may know, such as a `rowVersion`.",
      },
    ]);
    expect(faultsOf({ salary: { update: hr } }, { etag: ["salary"] })).toEqual([]);
  });

  test("rules for writes of a property that the server sets", () => {
    const options = { create: (employee: unknown) => employee, set: { salary: { create: () => 1 } } };
    const message =
      "`authorization.properties` has rules for `salary` to write it, but `set` makes its values: values of clients are ignored.";
    for (const act of ["create", "update"]) {
      expect(faultsOf({ salary: { [act]: hr } }, options)).toEqual([{ set, message, fix: "Remove them." }]);
    }
    expect(faultsOf({ salary: { read: hr } }, options)).toEqual([]);
  });

  test("a replace handler whose stored values nothing loads", () => {
    const replace = () => null;
    expect(faultsOf({ salary: { update: hr } }, { getByKey: undefined, replace })).toEqual([
      {
        set,
        route: "/Employees({key})",
        method: "PUT",
        message: "`replace` keeps the values of properties that the user may not write, but no `getByKey` loads them.",
        fix: "Declare getByKey.",
      },
    ]);
    expect(faultsOf({ salary: { update: hr } }, { replace })).toEqual([]);
    expect(faultsOf({}, { getByKey: undefined, replace })).toEqual([]);
    const inherited = Object.create({ salary: { update: hr } }) as object;
    expect(faultsOf(inherited, { getByKey: undefined, replace })).toHaveLength(1);
  });

  test("nothing in rules for readers and writers", () => {
    const rules = { salary: { read: [authenticated(), anyOf(hr, role("boss"))], create: [], update: hr } };
    expect(faultsOf({ ...rules, version: { read: hr }, born: { read: hr, create: hr } })).toEqual([]);
  });
});
