import { describe, expect, test } from "vitest";
import { compileExpression } from "../../../src/engine/memory/compile-expression.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import { bindOne, evaluate, propertyOf, Thing } from "./model.ts";

const entity = {
  name: "b",
  tags: ["a", "b", null],
  address: { city: "b", lines: ["x", "b"] },
};

describe("any and all", () => {
  test.each<readonly [string, object, boolean]>([
    ["Tags/any()", entity, true],
    ["Tags/any()", { tags: [] }, false],
    ["Tags/any()", { tags: [null] }, true],
    ["Tags/any(t:t eq 'a')", entity, true],
    ["Tags/any(t:t eq 'c')", entity, false],
    ["Tags/any(t:t eq null)", entity, true],
    ["Tags/any(t:t eq Name)", entity, true],
    ["Tags/any(t:t gt $it/Name)", entity, false],
    ["Tags/all(t:t eq null or t le 'b')", entity, true],
    ["Tags/all(t:t le 'b')", entity, false],
    ["Tags/all(t:t ne 'c')", entity, true],
    ["Tags/any(t:t in ('x','b'))", entity, true],
    ["'b' in Tags", entity, true],
    ["null in Tags", entity, true],
    ["null in Address/Lines", entity, false],
    ["Name in Address/Lines", entity, true],
    ["Tags/any(t:t in Address/Lines and t ne Name)", entity, false],
    ["Address/Lines/all(l:Tags/any(t:l eq t or l eq 'x'))", entity, true],
    ["Address/Lines/any(l:Tags/all(t:l eq t))", entity, false],
    ["Tags/any(a:Tags/any(b:a lt b)) and Tags/any(a:Tags/any(b:a gt b))", entity, true],
    ["Tags/any(t:t eq 'a' and Tags/any(t:t eq 'b') and t eq 'a')", entity, true],
    ["not Tags/any(t:t eq 'c')", entity, true],
    // Only a true predicate counts: null counts like false.
    ["Tags/any(t:contains(t,'z'))", entity, false],
    ["Tags/any(t:not contains(t,'z'))", entity, true],
    ["Tags/any(t:contains(t,'a'))", { tags: [null] }, false],
    ["Tags/all(t:contains(t,'a'))", { tags: [null, "a"] }, false],
    ["Tags/all(t:not contains(t,'a'))", { tags: [null] }, false],
    ["Tags/any(t:null)", entity, false],
    ["Tags/all(t:null)", entity, false],
    ["Tags/all(t:null)", { tags: [] }, true],
    // No items.
    ["Tags/any(t:true)", { tags: [] }, false],
    ["Tags/all(t:false)", { tags: [] }, true],
    ["Tags/any(t:true)", { tags: null }, false],
    ["Tags/all(t:false)", {}, true],
    ["Address/Lines/any(t:true)", { address: null }, false],
    ["Address/Lines/any()", {}, false],
    ["Address/Lines/all(t:false)", {}, true],
    ["not Address/Lines/any(t:true)", {}, true],
    ["'a' in Address/Lines", {}, false],
  ])("%s of %o is %s", (expression, of, expected) => {
    expect(evaluate(expression, of)).toBe(expected);
  });

  test("items after the deciding one are not evaluated", () => {
    const seen: string[] = [];
    const tags = ["a", "b", "c"].map((text) => ({
      get text() {
        seen.push(text);
        return text;
      },
    }));
    const lazy = {
      tags: new Proxy(tags, {
        get: (target, key) => (/^\d+$/.test(String(key)) ? target[Number(key)]?.text : Reflect.get(target, key)),
      }),
    };
    expect(evaluate("Tags/any(t:t eq 'b')", lazy)).toBe(true);
    expect(evaluate("Tags/all(t:t eq 'b')", lazy)).toBe(false);
    expect(evaluate("Tags/any()", lazy)).toBe(true);
    expect(seen).toEqual(["a", "b", "a"]);
  });

  test.each([
    [
      "Tags/any(t:t eq 'a')",
      { tags: ["b", 5] },
      "Thing.Tags (field tags) must be Edm.String, but a handler returned a number",
    ],
    [
      "Tags/any(t:t eq 'a')",
      { tags: "abc" },
      "Thing.Tags (field tags) must be a collection, but a handler returned a string",
    ],
    ["Tags/any()", { tags: {} }, "Thing.Tags (field tags) must be a collection"],
    ["Address/Lines/all(t:true)", { address: 5 }, "Thing.Address (field address) must be Address"],
  ])("%s of %o is a fault of the application", (expression, of, message) => {
    expect(() => evaluate(expression, of)).toThrow(message);
    expect(() => evaluate(expression, of)).toThrow(TypeError);
  });

  test("a failure, and a query within a query, do not change later results", () => {
    const inner = "Tags/any(t:Address/City eq t)";
    const compiled: { run?: (of: object) => unknown } = {};
    const nested = {
      tags: ["x", "y"],
      get address() {
        // Evaluates other items with the same closure, then one fails.
        expect(compiled.run?.({ tags: ["q"], address: { city: "q" } })).toBe(true);
        expect(() => compiled.run?.({ tags: ["y", 5], address: {} })).toThrow(TypeError);
        return { city: "y" };
      },
    };
    const [expression, values] = bindOne(inner);
    const closure = compileExpression(expression, "spec-compliant");
    compiled.run = (of) => closure(of, new Evaluation(values));
    expect(compiled.run(nested)).toBe(true);
  });

  test("a variable without its operator is an error of the binder", () => {
    const type = propertyOf("Name").type;
    expect(() => compileExpression({ kind: "variable", depth: 0, type }, "spec-compliant")).toThrow(/depth 0/);
    const property = { ...propertyOf("Name"), source: { kind: "variable", depth: 2, type: Thing } } as const;
    expect(() => compileExpression(property, "spec-compliant")).toThrow(/depth 2/);
  });
});
