import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindAnnotations } from "../../src/definition/annotations/bind-annotations.ts";
import type { User } from "../../src/definition/context.ts";
import type { RowRule } from "../../src/definition/sets/authorization.ts";
import { entitySet } from "../../src/definition/sets/entity-set.ts";
import { hasMany, hasOptional } from "../../src/definition/sets/navigation.ts";
import { buildServiceDefinition } from "../../src/definition/startup/build-service-definition.ts";
import { edm } from "../../src/definition/types/edm-builders.ts";
import { complexType, entityType, enumType } from "../../src/definition/types/entity-type.ts";
import type { RowCondition } from "../../src/definition/types/row-conditions.ts";
import { allRows, noRows, type RowPredicate } from "../../src/definition/types/row-predicate.ts";
import { ROW_RULES } from "../../src/engine/reads/gate.ts";
import type { Expression, PathSource } from "../../src/language/query/expression.ts";
import { caseCount } from "../cases.ts";

type VaryingRowCondition = Extract<RowCondition, object>;

const logger = { error: () => {}, warn: () => {}, info: () => {} };
const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Days = enumType("Days", { Mon: 1, Tue: 2 }, { isFlags: true });
const Address = complexType("Address", { street: edm.string() });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  text: edm.string({ maxLength: 3 }).nullable(),
  flag: edm.boolean(),
  byte: edm.byte(),
  sByte: edm.sByte(),
  int16: edm.int16(),
  int32: edm.int32(),
  int64: edm.int64(),
  single: edm.single(),
  double: edm.double(),
  decimal: edm.decimal({ precision: 4, scale: 2 }),
  guid: edm.guid(),
  binary: edm.binary(),
  date: edm.date(),
  time: edm.timeOfDay(),
  moment: edm.dateTimeOffset({ precision: 0 }),
  span: edm.duration(),
  status: edm.enum(Status),
  days: edm.enum(Days),
  address: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
  tenant: edm.string().ignored(),
  ["__proto__"]: edm.string(),
  constructor: edm.string(),
  // oxlint-disable-next-line unicorn/no-thenable -- the test checks that a row is not a thenable
  then: edm.string(),
  toString: edm.string(),
  // Fields may be any string; these two look like a path and like a condition.
  ["parent/id"]: edm.int32().json("slashed"),
  ['id" eq ?']: edm.int32().json("quoted"),
});

/** The operators of a property, for JavaScript callers. */
interface AnyOperand extends Record<"eq" | "ne" | "gt" | "ge" | "lt" | "le" | "in" | "startsWith", Asks> {
  isNull(): RowPredicate;
}
type Asks = (given: unknown) => RowPredicate;

/** A row for JavaScript callers: every field is an operand, or the row of a related entity. */
interface AnyRow {
  readonly [field: string]: AnyOperand & AnyRow;
}

type Rule = (row: AnyRow, user: User) => unknown;

/** The row rules of a set of Thing and of another set in the same registration. */
function rulesOf(rule: Rule, other: Rule = () => allRows): readonly [RowRule, RowRule] {
  const things = (name: string, declared: Rule): ReturnType<typeof entitySet> =>
    entitySet(Thing, {
      name,
      navigation: {
        parent: hasOptional(Thing, { target: "Others" }),
        child: hasOptional(Thing, { target: "Others" }),
        all: hasMany(Thing, { target: "Others" }),
      },
      authorization: { rows: (user, row) => declared(row as unknown as AnyRow, user) as RowPredicate },
    }) as unknown as ReturnType<typeof entitySet>;
  const { entitySets } = buildServiceDefinition(
    { entitySets: [things("Things", rule), things("Others", other)] },
    logger,
    ROW_RULES,
    bindAnnotations,
  );
  return [entitySets.get("Things")?.rows as RowRule, entitySets.get("Others")?.rows as RowRule];
}

function conditionOf(rule: Rule): RowCondition {
  return rulesOf(rule)[0].conditionFor({ id: "ann" });
}

function varying(rule: Rule): VaryingRowCondition {
  const condition = conditionOf(rule);
  if (typeof condition === "string") throw new Error(`The rule says ${condition}.`);
  return condition;
}

/** Formats a condition with the values of its parameters. */
function shown({ filter, values }: VaryingRowCondition): string {
  return show(filter.expression, (index) =>
    show({ kind: "literal", value: values[index] ?? "?", type: null as never }),
  );
}

/** Formats an expression, so that different expressions have different strings. */
function show(expression: Expression, parameter: (index: number) => string = () => "?"): string {
  const text = (each: Expression): string => show(each, parameter);
  switch (expression.kind) {
    case "parameter":
      return parameter(expression.index);
    case "literal":
      return typeof expression.value === "bigint" ? `${expression.value}n` : JSON.stringify(expression.value);
    case "null":
      return "null";
    case "property":
    case "navigation":
    case "it":
      return path(expression).join(" > ");
    case "comparison":
      return `${text(expression.left)} ${expression.operator}[${expression.operandType?.name ?? ""}] ${text(expression.right)}`;
    case "logical":
      return `(${expression.operands.map(text).join(` ${expression.operator} `)})`;
    case "not":
      return `not(${text(expression.operand)})`;
    case "in":
      return `${text(expression.operand)} in (${expression.items.map(text).join(", ")})`;
    case "call":
      return `${expression.name}(${expression.arguments.map(text).join(", ")})`;
    default:
      throw new Error(`A rule made an expression of kind ${expression.kind}.`);
  }
}

function path(source: PathSource): readonly string[] {
  if (source.kind === "property") return [...path(source.source), `.${source.property.field}`];
  if (source.kind === "navigation") {
    const { entitySet, target, navigationProperty } = source;
    return [...path(source.source), `${entitySet.name}.${navigationProperty.field}(${String(target?.name)})`];
  }
  return [source.kind];
}

function thrown(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("Nothing was thrown.");
}

describe("the condition of a rule", () => {
  test.each<[RowCondition, RowPredicate]>([
    ["all", allRows],
    ["none", noRows],
    ["none", allRows.not()],
    ["all", noRows.not()],
    ["none", allRows.and(noRows)],
    ["none", noRows.and(allRows)],
    ["all", allRows.or(noRows)],
    ["all", noRows.or(allRows)],
    ["all", allRows.and(allRows).or(noRows).not().not()],
  ])("%s", (condition, predicate) => {
    expect(conditionOf(() => predicate)).toBe(condition);
  });

  test.each<[string, RowCondition, Rule]>([
    ["all or x", "all", (row) => allRows.or(row["id"]!.eq(1))],
    ["x or all", "all", (row) => row["id"]!.eq(1).or(allRows)],
    ["x and none", "none", (row) => row["id"]!.eq(1).and(noRows)],
    ["none and x", "none", (row) => noRows.and(row["id"]!.eq(1))],
    ["not (x or all)", "none", (row) => row["id"]!.eq(1).or(allRows).not()],
    ["in nothing", "none", (row) => row["id"]!.in([])],
    ["not in nothing", "all", (row) => row["id"]!.in([]).not()],
  ])("%s", (_text, condition, rule) => {
    expect(conditionOf(rule)).toBe(condition);
  });

  test.each<[string, Rule]>([
    ["all and x", (row) => allRows.and(row["id"]!.eq(1))],
    ["x and all", (row) => row["id"]!.eq(1).and(allRows)],
    ["none or x", (row) => noRows.or(row["id"]!.eq(1))],
    ["x or none", (row) => row["id"]!.eq(1).or(noRows)],
  ])("%s is x", (_text, rule) => {
    expect(shown(varying(rule))).toBe("it > .id eq[Edm.Int32] 1");
  });

  test("a rule is not called for anonymous users", () => {
    let calls = 0;
    const [rule] = rulesOf(() => {
      calls += 1;
      return allRows;
    });
    expect(rule.conditionFor(null)).toBe("none");
    expect(calls).toBe(0);
    expect(rule.conditionFor({})).toBe("all");
    expect(calls).toBe(1);
  });
});

describe("operators", () => {
  test.each<[string, Rule]>([
    ['it > .text eq[Edm.String] "a"', (row) => row["text"]!.eq("a")],
    ['it > .text ne[Edm.String] "a"', (row) => row["text"]!.ne("a")],
    ['it > .text gt[Edm.String] "a"', (row) => row["text"]!.gt("a")],
    ['it > .text ge[Edm.String] "a"', (row) => row["text"]!.ge("a")],
    ['it > .text lt[Edm.String] "a"', (row) => row["text"]!.lt("a")],
    ['it > .text le[Edm.String] "a"', (row) => row["text"]!.le("a")],
    ["it > .text eq[Edm.String] null", (row) => row["text"]!.eq(null)],
    ["it > .text ne[Edm.String] null", (row) => row["text"]!.ne(null)],
    ["it > .text eq[Edm.String] null", (row) => row["text"]!.isNull()],
    ["it > .address eq[Address] null", (row) => row["address"]!.isNull()],
    ['startswith(it > .text, "a")', (row) => row["text"]!.startsWith("a")],
    ['it > .text in ("a")', (row) => row["text"]!.in(["a"])],
    ['it > .text in ("b", null, "a", "b")', (row) => row["text"]!.in(["b", null, "a", "b"])],
    ["not(it > .id eq[Edm.Int32] 1)", (row) => row["id"]!.eq(1).not()],
    ["not(not(it > .id eq[Edm.Int32] 1))", (row) => row["id"]!.eq(1).not().not()],
    [
      "((it > .id eq[Edm.Int32] 1 and it > .id eq[Edm.Int32] 2) or it > .id eq[Edm.Int32] 3)",
      (row) => row["id"]!.eq(1).and(row["id"]!.eq(2)).or(row["id"]!.eq(3)),
    ],
    [
      "(it > .id eq[Edm.Int32] 3 and (it > .id eq[Edm.Int32] 1 or it > .id eq[Edm.Int32] 2))",
      (row) => row["id"]!.eq(3).and(row["id"]!.eq(1).or(row["id"]!.eq(2))),
    ],
    ['it > .tenant eq[Edm.String] "t"', (row) => row["tenant"]!.eq("t")],
  ])("%s", (text, rule) => {
    expect(shown(varying(rule))).toBe(text);
  });

  test.each(["__proto__", "constructor", "then", "toString"])(
    "a property named %s is an ordinary property",
    (field) => {
      expect(shown(varying((row) => row[field]!.eq("t")))).toBe(`it > .${field} eq[Edm.String] "t"`);
    },
  );

  test("a chain of one operator is one list, so that many grants do not nest deeply", () => {
    const ids = Array.from({ length: 5000 }, (_, index) => index);
    const { filter, values } = varying((row) =>
      ids.reduce<RowPredicate>((all, id) => all.or(row["id"]!.eq(id)), noRows),
    );
    expect(values).toEqual(ids);
    expect(filter.expression).toMatchObject({ kind: "logical", operator: "or" });
    expect(filter.expression.kind === "logical" && filter.expression.operands).toHaveLength(5000);
  });
});

describe("values are canonical", () => {
  test.each<[string, unknown, unknown]>([
    ["text", "longer than the facet", "longer than the facet"],
    ["flag", false, false],
    ["byte", 255, 255],
    ["sByte", -1, -1],
    ["int16", 1, 1],
    ["int32", 1n, 1],
    ["int64", 1, 1n],
    ["single", 0.5, 0.5],
    ["double", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ["decimal", 1.5, "1.5"],
    ["decimal", "123456.789", "123456.789"],
    ["guid", "01234567-89AB-CDEF-0123-456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"],
    ["binary", new Uint8Array([1]), new Uint8Array([1])],
    ["date", new Date("2026-01-02T00:00:00Z"), "2026-01-02"],
    ["time", "10:00:00", "10:00:00"],
    ["moment", new Date("2026-01-02T03:04:05.678Z"), "2026-01-02T03:04:05.678Z"],
    ["span", "-P1D", "-P1D"],
    ["status", "Paid", "Paid"],
    ["status", 1, "Paid"],
    ["days", "Tue,Mon", "Mon,Tue"],
  ])("%s %s", (field, given, canonical) => {
    expect(varying((row) => row[field]!.eq(given)).values).toEqual([canonical]);
    expect(varying((row) => row[field]!.in([given])).values).toEqual([canonical]);
  });

  test.each<[string, unknown, string]>([
    ["text", 5, "Edm.String"],
    ["text", ["a"], "Edm.String"],
    ["flag", "true", "Edm.Boolean"],
    ["byte", 256, "Edm.Byte"],
    ["sByte", 128, "Edm.SByte"],
    ["int16", 40_000, "Edm.Int16"],
    ["int32", Number.NaN, "Edm.Int32"],
    ["int64", 1.5, "Edm.Int64"],
    ["single", "1", "Edm.Single"],
    ["double", "1", "Edm.Double"],
    ["decimal", "one", "Edm.Decimal"],
    ["guid", "x", "Edm.Guid"],
    ["binary", "AQ==", "Edm.Binary"],
    ["date", "2026-13-01", "Edm.Date"],
    ["time", "25:00:00", "Edm.TimeOfDay"],
    ["moment", "today", "Edm.DateTimeOffset"],
    ["span", "1 day", "Edm.Duration"],
    ["status", "Lost", "Status"],
    ["days", 8, "Days"],
  ])("%s is never %s", (field, given, type) => {
    const message = `A row rule compares ${field} with a value that is not of type ${type}.`;
    const error = thrown(() => conditionOf((row) => row[field]!.eq(given)));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(message);
    expect(error.cause).toBeInstanceOf(Error);
    expect(thrown(() => conditionOf((row) => row[field]!.in([given]))).message).toBe(message);
  });

  test("rejects half of a surrogate pair, which databases would replace by another character", () => {
    const message = "A row rule compares text with a string that contains half of a surrogate pair.";
    for (const half of ["\ud800", "\udc00x"]) {
      expect(thrown(() => conditionOf((row) => row["text"]!.eq(half))).message).toBe(message);
      expect(thrown(() => conditionOf((row) => row["text"]!.in(["a", half]))).message).toBe(message);
      expect(thrown(() => conditionOf((row) => row["text"]!.startsWith(half))).message).toBe(message);
    }
    expect(conditionOf((row) => row["text"]!.eq("\u{10000}\ufffd"))).toMatchObject({ values: ["\u{10000}\ufffd"] });
  });

  test("rejects undefined, which could match any row or none", () => {
    const message = "A row rule compares text with undefined: give a value, or null.";
    for (const operator of ["eq", "ne", "gt", "ge", "lt", "le"] as const) {
      expect(thrown(() => conditionOf((row, user) => row["text"]![operator](user.roles?.[0]))).message).toBe(message);
    }
    expect(thrown(() => conditionOf((row) => row["text"]!.in(["a", undefined]))).message).toBe(message);
    // oxlint-disable-next-line no-sparse-arrays -- a hole counts as undefined
    expect(thrown(() => conditionOf((row) => row["text"]!.in(["a", , "b"]))).message).toBe(message);
  });

  test.each<[string, Rule]>([
    ["A row rule compares text with string: give an array of values.", (row) => row["text"]!.in("abc")],
    ["A row rule compares text with undefined: give an array of values.", (row) => row["text"]!.in(undefined)],
    ["A row rule compares text with object: give a string.", (row) => row["text"]!.startsWith(null)],
    ["A row rule compares text with undefined: give a value, or null.", (row) => row["text"]!.startsWith(undefined)],
    ["id is not a string: a row rule cannot use startsWith.", (row) => row["id"]!.startsWith("1")],
    ["tags is not a string: a row rule cannot use startsWith.", (row) => row["tags"]!.startsWith("1")],
    ["tags is a collection: a row rule cannot compare it.", (row) => row["tags"]!.eq("a")],
    ["tags is a collection: a row rule cannot compare it.", (row) => row["tags"]!.in([])],
    ["tags is a collection, which is never null.", (row) => row["tags"]!.isNull()],
    ["address is complex: a rule can only test it with isNull.", (row) => row["address"]!.eq(null)],
    ["address is complex: a rule can only test it with isNull.", (row) => row["address"]!.in([])],
  ])("%s", (message, rule) => {
    expect(thrown(() => conditionOf(rule)).message).toBe(message);
  });
});

describe("paths", () => {
  test("follow single-valued navigations, even in cycles", () => {
    const { filter } = varying((row) => row["parent"]!["child"]!["parent"]!["int64"]!.gt(1n));
    expect(show(filter.expression)).toBe(
      "it > Things.parent(Others) > Others.child(Others) > Others.parent(Others) > .int64 gt[Edm.Int64] ?",
    );
  });

  test("are made once", () => {
    conditionOf((row) => {
      expect(row["parent"]).toBe(row["parent"]);
      expect(row["parent"]!["child"]!["id"]).toBe(row["parent"]!["child"]!["id"]);
      expect(row["parent"]).not.toBe(row["child"]);
      return allRows;
    });
  });

  test.each<[string, Rule]>([
    ["A row rule cannot follow Things/all, which leads to several entities.", (row) => row["all"]!["id"]!.eq(1)],
    [
      "A row rule cannot follow Others/all, which leads to several entities.",
      (row) => row["child"]!["all"]!["id"]!.eq(1),
    ],
  ])("%s", (message, rule) => {
    expect(thrown(() => conditionOf(rule)).message).toBe(message);
  });

  test("need a target set", () => {
    const Other = entityType("Other", { id: edm.int32().key() });
    const things = entitySet(Thing, {
      navigation: { next: hasOptional(Other) },
      authorization: { rows: (_user, row) => row.next.id.eq(1) },
    });
    const { entitySets } = buildServiceDefinition({ entitySets: [things] }, logger, ROW_RULES, bindAnnotations);
    expect(thrown(() => entitySets.get("Things")?.rows?.conditionFor({})).message).toBe(
      "A row rule cannot follow Things/next, which has no `target` set.",
    );
  });

  test("an error names an unknown property and a similar one", () => {
    expect(thrown(() => conditionOf((row) => row["tenent"]!.eq("a"))).message).toBe(
      "A row rule uses `tenent`, which entities of Things do not have. Did you mean `tenant`?",
    );
    expect(thrown(() => conditionOf((row) => row["child"]!["Tenant"]!.eq("a"))).message).toContain(
      "A row rule uses `Tenant`, which entities of Others do not have. ",
    );
    conditionOf((row) => {
      expect("tenent" in row).toBe(false);
      expect(Object.keys(row)).toContain("tenant");
      return allRows;
    });
  });

  test("spreading a row follows no navigation", () => {
    expect(
      conditionOf((row) => {
        const { id, parent, ...others } = { ...row };
        expect([id, parent, Object.keys(others).length]).toEqual([row["id"], undefined, 27]);
        return allRows;
      }),
    ).toBe("all");
  });

  test("rows and their operands are frozen", () => {
    conditionOf((row) => {
      expect(Object.isFrozen(row) && Object.isFrozen(row["id"]) && Object.isFrozen(row["id"]!.eq(1))).toBe(true);
      expect(Object.getPrototypeOf(row)).toBeNull();
      return allRows;
    });
  });
});

describe("other results of a rule fail", () => {
  const message =
    "The row rule of Things did not return a condition: return row.ownerId.eq(user.id), allRows or noRows.";

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["true", true],
    ["an operand", { eq: () => allRows }],
    ["an object that looks like a predicate", { kind: "RowPredicate", term: true }],
    ["a copy of a predicate", { ...allRows }],
    ["an object that inherits from a predicate", Object.create(allRows)],
  ])("%s", (_what, answer) => {
    expect(thrown(() => conditionOf(() => answer)).message).toBe(message);
    const joined = "`and` and `or` of a row rule take a condition, such as `row.ownerId.eq(user.id)`.";
    for (const predicate of [allRows, noRows]) {
      expect(thrown(() => predicate.and(answer as never)).message).toBe(joined);
      expect(thrown(() => predicate.or(answer as never)).message).toBe(joined);
    }
  });

  test("a promise, even if it rejects", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      for (const answer of [Promise.resolve(allRows), Promise.reject(new Error("no database"))]) {
        expect(thrown(() => conditionOf(() => answer)).message).toBe(
          "The row rule of Things returned a promise, but it must be synchronous. Load the required values in `authenticate`.",
        );
      }
      await new Promise(setImmediate);
    } finally {
      process.off("unhandledRejection", note);
    }
    expect(unhandled).toEqual([]);
  });

  test("an error of the rule is thrown", () => {
    const failure = new Error("no database");
    const rule = (): never => {
      throw failure;
    };
    expect(thrown(() => conditionOf(rule))).toBe(failure);
    expect(thrown(() => conditionOf((row) => row["nobody"]!.eq(1)))).toBeInstanceOf(TypeError);
  });

  test("a condition on the row of another rule", () => {
    let theirs: AnyRow | undefined;
    const [rule, other] = rulesOf(
      (row) => row["id"]!.eq(1).or(theirs!["parent"]!["id"]!.eq(1)),
      (row) => {
        theirs = row;
        return row["id"]!.eq(1);
      },
    );
    other.conditionFor({});
    expect(thrown(() => rule.conditionFor({})).message).toBe(
      "A row rule returned a condition on the row of another rule. Use the row that it receives.",
    );
  });
});

describe("conditions of one structure share one filter", () => {
  test("with different values", () => {
    let id = 0;
    const [rule] = rulesOf((row) => row["id"]!.eq(++id).and(row["text"]!.in([String(id), "x", null])));
    const [first, second] = [rule.conditionFor({}), rule.conditionFor({})] as [
      VaryingRowCondition,
      VaryingRowCondition,
    ];
    expect(second.filter).toBe(first.filter);
    expect([first.values, second.values]).toEqual([
      [1, "1", "x"],
      [2, "2", "x"],
    ]);
    expect(Object.isFrozen(first.filter)).toBe(true);
  });

  test.each<[string, Rule, Rule]>([
    ["operators", (row) => row["id"]!.eq(1), (row) => row["id"]!.ne(1)],
    ["properties", (row) => row["int16"]!.eq(1), (row) => row["int32"]!.eq(1)],
    ["null and a value", (row) => row["text"]!.eq("null"), (row) => row["text"]!.eq(null)],
    ["numbers of items", (row) => row["id"]!.in([1, 2]), (row) => row["id"]!.in([1, 2, 3])],
    ["eq and a list of one", (row) => row["id"]!.eq(1), (row) => row["id"]!.in([1])],
    ["a field that looks like a path", (row) => row["parent/id"]!.eq(1), (row) => row["parent"]!["id"]!.eq(1)],
    ["a field that looks like a condition", (row) => row['id" eq ?']!.eq(1), (row) => row["id"]!.eq(1)],
    ["ways", (row) => row["parent"]!["id"]!.eq(1), (row) => row["child"]!["id"]!.eq(1)],
    [
      "and within or",
      (row) => row["id"]!.eq(1).and(row["id"]!.eq(1)).or(row["id"]!.eq(1)),
      (row) => row["id"]!.eq(1).and(row["id"]!.eq(1).or(row["id"]!.eq(1))),
    ],
  ])("but not for other %s", (_what, one, other) => {
    let calls = 0;
    const [rule] = rulesOf((row, user) => (calls++ % 2 === 0 ? one : other)(row, user));
    const conditions = [1, 2, 3, 4].map(() => rule.conditionFor({}) as VaryingRowCondition);
    expect(conditions[0]?.filter).not.toBe(conditions[1]?.filter);
    expect(conditions[2]?.filter).toBe(conditions[0]?.filter);
    expect(conditions[3]?.filter).toBe(conditions[1]?.filter);
  });

  test("and the last hundred structures are cached", () => {
    let length = 0;
    const [rule] = rulesOf((row) => row["id"]!.in(Array.from({ length }, (_, index) => index)));
    const filterOf = (items: number): unknown => {
      length = items;
      return (rule.conditionFor({}) as VaryingRowCondition).filter;
    };
    const filters = Array.from({ length: 100 }, (_, index) => filterOf(index + 1));
    expect(filters.map((_, index) => filterOf(index + 1))).toEqual(filters);
    expect(filterOf(1)).toBe(filters[0]);
    filterOf(101);
    // The first was used again, so the second was evicted.
    expect(filterOf(1)).toBe(filters[0]);
    expect(filterOf(100)).toBe(filters[99]);
    expect(filterOf(2)).not.toBe(filters[1]);
  });

  test("if and only if they differ only in values", () => {
    let predicate: (row: AnyRow) => RowPredicate = () => allRows;
    const [rule] = rulesOf((row) => predicate(row));
    fc.assert(
      fc.property(trees, trees, fc.array(fc.integer({ min: 0, max: 9 })), (one, other, numbers) => {
        const [first, second, third] = [instantiate(one, []), instantiate(other, []), instantiate(one, numbers)].map(
          (made) => {
            predicate = made;
            return rule.conditionFor({});
          },
        );
        if (typeof first !== "object" || typeof third !== "object") {
          expect(third).toBe(first);
          return;
        }
        expect(third.filter).toBe(first.filter);
        expect(shown(third)).toBe(termText(instantiate(one, numbers), rule, (made) => (predicate = made)));
        if (typeof second !== "object") return;
        const isAlike = show(first.filter.expression) === show(second.filter.expression);
        expect(first.filter === second.filter).toBe(isAlike);
      }),
      { numRuns: caseCount(2000) },
    );
  });
});

/** A condition without its values. */
type Tree =
  | { readonly kind: "compare"; readonly path: readonly string[]; readonly operator: "eq" | "gt" | "in" | "startsWith" }
  | { readonly kind: "null"; readonly path: readonly string[] }
  | { readonly kind: "all" | "no" }
  | { readonly kind: "and" | "or"; readonly left: Tree; readonly right: Tree }
  | { readonly kind: "not"; readonly operand: Tree };

const PATHS = fc.constantFrom<readonly string[]>(["text"], ["tenant"], ["parent", "text"], ["parent", "child", "text"]);

const { tree: trees } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("compare" as const),
        path: PATHS,
        operator: fc.constantFrom("eq" as const, "gt" as const, "in" as const, "startsWith" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("null" as const), path: PATHS }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("all" as const, "no" as const) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom("and" as const, "or" as const),
        left: tie("tree"),
        right: tie("tree"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("not" as const), operand: tie("tree") }) },
  ),
}));

/** A condition with these values, one after another, and round again. */
function instantiate(tree: Tree, numbers: readonly number[]): (row: AnyRow) => RowPredicate {
  return (row) => {
    let index = 0;
    const next = (): string => String(numbers.length === 0 ? 0 : numbers[index++ % numbers.length]);
    const make = (each: Tree): RowPredicate => {
      switch (each.kind) {
        case "all":
          return allRows;
        case "no":
          return noRows;
        case "not":
          return make(each.operand).not();
        case "null":
          return operandAt(row, each.path).isNull();
        case "compare": {
          const operand = operandAt(row, each.path);
          return each.operator === "in" ? operand.in([next(), next()]) : operand[each.operator](next());
        }
        default:
          return make(each.left)[each.kind](make(each.right));
      }
    };
    return make(tree);
  };
}

function operandAt(row: AnyRow, fields: readonly string[]): AnyOperand {
  return fields.reduce<AnyOperand & AnyRow>((at, field) => at[field]!, row as AnyOperand & AnyRow);
}

/** Formats a predicate with its values. */
function termText(
  predicate: (row: AnyRow) => RowPredicate,
  rule: RowRule,
  use: (predicate: (row: AnyRow) => RowPredicate) => void,
): string {
  let text = "";
  use((row) => {
    const made = predicate(row);
    text = typeof made.term === "boolean" ? String(made.term) : show(made.term);
    return made;
  });
  rule.conditionFor({});
  return text;
}

describe("a condition that the result does not contain", () => {
  const dropped = (property: string): string =>
    `The row rule of Things made a condition on \`${property}\` that its result does not contain. In JavaScript, \`a && b\` is \`b\` alone: write \`a.and(b)\`. Make a condition only where the result contains it.`;

  test.each<[string, string, Rule]>([
    ["a && b", "tenant", (row) => row["tenant"]!.eq("x") && row["flag"]!.eq(true)],
    ["a && b && c", "tenant", (row) => row["tenant"]!.eq("x") && row["flag"]!.eq(true) && row["id"]!.eq(1)],
    ["a.and(b) && c", "tenant", (row) => row["tenant"]!.eq("x").and(row["flag"]!.eq(true)) && row["id"]!.eq(1)],
    ["a && b.or(c)", "tenant", (row) => row["tenant"]!.eq("x") && row["flag"]!.eq(true).or(row["id"]!.eq(1))],
    ["a && b.not()", "tenant", (row) => row["tenant"]!.isNull() && row["flag"]!.eq(true).not()],
    ["a && allRows.and(b)", "tenant", (row) => row["tenant"]!.eq("x") && allRows.and(row["flag"]!.eq(true))],
    ["a && b, b without values", "tenant", (row) => row["tenant"]!.startsWith("x") && row["id"]!.in([])],
    ["a without values && b", "id", (row) => row["id"]!.in([]) && row["tenant"]!.eq("x")],
    ["a ? b : c", "flag", (row) => (row["flag"]!.eq(true) ? row["tenant"]!.eq("x") : noRows)],
    ["along a navigation", "tenant", (row) => row["parent"]!["tenant"]!.eq("x") && row["flag"]!.eq(true)],
    [
      "a condition that is joined after the result",
      "tenant",
      (row) => {
        const condition = row["tenant"]!.eq("x");
        const result = row["flag"]!.eq(true);
        result.and(condition);
        return result;
      },
    ],
  ])("is an error: %s", (_name, property, rule) => {
    expect(() => conditionOf(rule)).toThrow(new TypeError(dropped(property)));
  });

  test("of an earlier call is an error, too, if the result drops one of this call", () => {
    const results: RowPredicate[] = [];
    const rule: Rule = (row, { id }) => {
      if (id === "first") results.push(row["flag"]!.eq(true));
      return id === "first" ? results[0] : row["tenant"]!.eq("x") && results[0];
    };
    const [declared] = rulesOf(rule);
    expect(declared.conditionFor({ id: "first" })).toMatchObject({ values: [true] });
    expect(() => declared.conditionFor({ id: "second" })).toThrow(dropped("tenant"));
  });

  test.each<[string, unknown, Rule]>([
    ["the user decides", "all", (row, { id }) => (id === "ann" ? allRows : row["tenant"]!.eq("x"))],
    [
      "made before, for users without all rows",
      "all",
      (row, { id }) => {
        const own = row["tenant"]!.eq("x");
        return id === "ann" ? allRows : own;
      },
    ],
    [
      "made before, for users without any",
      "none",
      (row, { id }) => {
        const own = row["tenant"]!.eq("x");
        return id === "ann" ? noRows : own;
      },
    ],
    [
      "made after the result",
      [1],
      (row, { id }) => {
        const result = row["id"]!.eq(1);
        const further = row["flag"]!.eq(true);
        return id === "ann" ? result : result.or(further);
      },
    ],
    [
      "added step by step",
      [1, true, "x"],
      (row) => {
        let result = row["id"]!.eq(1);
        for (const next of [row["flag"]!.eq(true), row["tenant"]!.eq("x")]) result = result.or(next);
        return result;
      },
    ],
    ["folded away", "none", (row) => row["tenant"]!.eq("x").and(noRows)],
    ["folded away in part", [true], (row) => row["id"]!.in([]).or(row["flag"]!.eq(true))],
    ["a || b, which never makes b", ["x"], (row) => row["tenant"]!.eq("x") || row["flag"]!.eq(true)],
  ])("is allowed: %s", (_name, expected, rule) => {
    const condition = conditionOf(rule);
    expect(typeof condition === "string" ? condition : condition.values).toEqual(expected);
  });

  test("is found among 20,000 conditions without a deep stack", () => {
    const many = (row: AnyRow): RowPredicate =>
      Array.from({ length: 20_000 }, (_none, id) => id).reduce<RowPredicate>(
        (all, id) => (id < 3 ? all.or(row["id"]!.eq(id)) : all.not()),
        noRows,
      );
    expect(() => conditionOf((row) => row["tenant"]!.eq("x") && many(row))).toThrow(dropped("tenant"));
    const shared = (row: AnyRow): RowPredicate =>
      Array.from({ length: 60 }).reduce<RowPredicate>((all) => all.not().not(), row["id"]!.eq(1));
    expect(varying((row) => shared(row).and(row["flag"]!.eq(true))).values).toEqual([1, true]);
  });

  test("that was kept from an earlier call stays an error", () => {
    const kept = new Map<string, RowPredicate>();
    const tenantOf = (row: AnyRow, id: string): RowPredicate => {
      const known = kept.get(id) ?? row["tenant"]!.eq(id);
      kept.set(id, known);
      return known;
    };
    const [declared, other] = rulesOf(
      (row, { id }) => (id === "none" ? row["flag"]!.eq(true) : tenantOf(row, String(id)) && row["flag"]!.eq(true)),
      (row) => row["flag"]!.eq(true),
    );
    expect(declared.conditionFor({ id: "none" })).toMatchObject({ values: [true] });
    expect(() => declared.conditionFor({ id: "ann" })).toThrow(dropped("tenant"));
    for (const id of ["ann", "ann", "none"]) expect(() => declared.conditionFor({ id })).toThrow(dropped("tenant"));
    expect(other.conditionFor({ id: "ann" })).toMatchObject({ values: [true] });
  });

  test("of one rule does not count for another", () => {
    const [first, second] = rulesOf(
      (row) => row["tenant"]!.eq("x"),
      (row) => row["flag"]!.eq(true),
    );
    for (const rule of [first, second, first]) expect(rule.conditionFor({ id: "ann" })).not.toBe("all");
  });
});
