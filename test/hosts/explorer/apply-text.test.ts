import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  aliasOf,
  type ApplyForm,
  NO_GROUPS,
  readApply,
  type Total,
  writeApply,
} from "../../../explorer/src/query/apply-text.ts";

const COUNT: Total = { method: "count", path: null, alias: "Count" };

describe("the form of $apply", () => {
  test.for([
    ["", NO_GROUPS],
    ["groupby((Color))", { ...NO_GROUPS, groupBy: ["Color"] }],
    [
      "groupby((Color,Customer/Name),aggregate(Total with sum as TotalSum,$count as Count))",
      {
        ...NO_GROUPS,
        groupBy: ["Color", "Customer/Name"],
        totals: [{ method: "sum", path: "Total", alias: "TotalSum" }, COUNT],
      },
    ],
    ["aggregate($count as Count)", { ...NO_GROUPS, totals: [COUNT] }],
    [
      "filter(contains(Name,'a)') and (A gt 5))/groupby((Color),aggregate($count as Count))",
      {
        filter: "contains(Name,'a)') and (A gt 5)",
        groupBy: ["Color"],
        totals: [COUNT],
      },
    ],
  ] as const)("of %s has this form, and the same text again", ([text, form]) => {
    expect(readApply(text)).toEqual(form);
    expect(writeApply(form)).toBe(text);
  });

  test.for([
    "filter(A eq 1)",
    "identity",
    "groupby((A))/groupby((B))",
    "groupby((A),topcount(1,B))",
    "groupby((A),aggregate(B mul 2 with sum as C))",
    "groupby((A))/topcount(2,B)",
    "compute(A mul 2 as B)/groupby((B))",
    "concat(identity,identity)",
    "groupby((A)",
    "groupby",
  ])("is null for %s", (text) => {
    expect(readApply(text)).toBeNull();
  });

  test("is empty without a group and a total", () => {
    expect(writeApply({ ...NO_GROUPS, filter: "A eq 1" })).toBe("");
  });

  const totals = fc.array(
    fc.oneof(
      fc.constant(COUNT),
      fc.record({
        method: fc.constantFrom("sum", "min", "max", "average", "countdistinct"),
        path: fc.constantFrom("Total", "Customer/Age"),
        alias: fc.constantFrom("A", "B"),
      }),
    ),
    { minLength: 1, maxLength: 3 },
  );
  const forms: fc.Arbitrary<ApplyForm> = fc.record({
    filter: fc.constantFrom("", "A eq ')'", "(A eq 1) or B in (1,2)"),
    groupBy: fc.array(fc.constantFrom("Color", "Customer/Name"), { maxLength: 2 }),
    totals,
  });

  test("keeps whatever it wrote", () => {
    fc.assert(
      fc.property(forms, (form) => {
        expect(readApply(writeApply(form))).toEqual(form);
      }),
    );
  });
});

test("an alias is a name that no other column has", () => {
  expect(aliasOf("sum", "Customer/Age", [])).toBe("Customer_AgeSum");
  expect(aliasOf("countdistinct", "A", [])).toBe("ADistinct");
  expect(aliasOf("count", null, ["Count", "Count2"])).toBe("Count3");
});
