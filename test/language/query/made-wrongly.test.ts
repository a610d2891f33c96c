import { expect, test } from "vitest";
import { castIn } from "../../../src/language/query/cast-call.ts";
import type { ApplyClause, ExpandedNavigation } from "../../../src/language/query/clauses.ts";
import type { CallExpression, Expression } from "../../../src/language/query/expression.ts";
import { mapApply, mapExpansions } from "../../../src/language/query/map-clauses.ts";

const LITERAL = { kind: "literal", value: 1 } as unknown as Expression;

test("a cast of no value is an error of the binder", () => {
  expect(() => castIn({ arguments: [] } as unknown as CallExpression)).toThrow("A cast needs a primitive value.");
});

test("a path of a group must remain a path", () => {
  const key = { kind: "path", source: { kind: "it" }, members: [] };
  const branch = { steps: [{ kind: "group", keys: [key], aggregates: [] }], computed: [], orderBy: [] };
  const apply = { branches: [branch] } as unknown as ApplyClause;
  expect(() => mapApply(apply, () => LITERAL)).toThrow("A path became another expression.");
});

test("computed values of expansions are replaced, too", () => {
  const selectExpand = { selected: [{ computed: { kind: "parameter" } }, { property: 1 }], expanded: [] };
  const [mapped] = mapExpansions(
    [{ filter: null, orderBy: [], selectExpand }] as unknown as ExpandedNavigation[],
    () => LITERAL,
  );
  expect(mapped?.selectExpand.selected).toEqual([{ computed: LITERAL }, { property: 1 }]);
});
