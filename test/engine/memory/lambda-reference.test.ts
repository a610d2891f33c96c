import fc from "fast-check";
import { expect, test } from "vitest";
import { compileExpression } from "../../../src/engine/memory/compile-expression.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import { caseCount } from "../../cases.ts";
import { bindCollection } from "../../language/binder/requests.ts";

/** The state of the reference: the entity, and the range variables by name. */
interface Scene {
  readonly it: Product;
  readonly variables: ReadonlyMap<string, unknown>;
}

interface Place {
  readonly city?: string | null;
  readonly phones?: readonly (string | null)[] | null;
}

interface Product {
  readonly name: string | null;
  readonly tags: readonly (string | null)[] | null;
  readonly places: readonly (Place | null)[];
  readonly address: Place | null;
}

/** A part of a filter: its text, and its meaning by the standard, regardless of speed. */
interface Part<Value> {
  readonly text: string;
  readonly valueIn: (scene: Scene) => Value;
}

type Text = Part<string | null>;
type Condition = Part<boolean | null>;
type Items = Part<readonly unknown[] | null>;
/** The range variables in scope, the inner ones last, and their items. */
type Scope = readonly { readonly name: string; readonly isPlace: boolean }[];

const NAMES = ["t", "p", "Name", "Tags", "City"] as const;
const LETTERS = ["a", "b", "ab", ""] as const;

function inReach(scope: Scope, isPlace: boolean): readonly string[] {
  const names = [...new Set(scope.map(({ name }) => name))];
  return names.filter((name) => scope.findLast((variable) => variable.name === name)?.isPlace === isPlace);
}

const placeOf = (scene: Scene, name: string) => scene.variables.get(name) as Place | null;

function texts(scope: Scope): readonly Text[] {
  return [
    ...LETTERS.map((letter): Text => ({ text: `'${letter}'`, valueIn: () => letter })),
    { text: "null", valueIn: () => null },
    { text: "$it/Name", valueIn: ({ it }) => it.name },
    { text: "Address/City", valueIn: ({ it }) => it.address?.city ?? null },
    ...inReach(scope, false).map((name): Text => ({
      text: name,
      valueIn: ({ variables }) => (variables.get(name) ?? null) as string | null,
    })),
    ...inReach(scope, true).map((name): Text => ({
      text: `${name}/City`,
      valueIn: (scene) => placeOf(scene, name)?.city ?? null,
    })),
  ];
}

function textItems(scope: Scope): readonly Items[] {
  return [
    { text: "$it/Tags", valueIn: ({ it }) => it.tags },
    { text: "Address/Phones", valueIn: ({ it }) => it.address?.phones ?? null },
    ...inReach(scope, true).map((name): Items => ({
      text: `${name}/Phones`,
      valueIn: (scene) => placeOf(scene, name)?.phones ?? null,
    })),
  ];
}

const places: Items = { text: "$it/Places", valueIn: ({ it }) => it.places };

const COMPARISONS: Readonly<Record<string, (left: string | null, right: string | null) => boolean>> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  lt: (left, right) => left !== null && right !== null && left < right,
  ge: (left, right) => left !== null && right !== null && left >= right,
};

function leaf(scope: Scope): fc.Arbitrary<Condition> {
  const text = fc.constantFrom(...texts(scope));
  const comparison = fc
    .tuple(text, fc.constantFrom(...Object.keys(COMPARISONS)), text)
    .map(([left, operator, right]): Condition => ({
      text: `${left.text} ${operator} ${right.text}`,
      valueIn: (scene) => COMPARISONS[operator]?.(left.valueIn(scene), right.valueIn(scene)) ?? null,
    }));
  const contains = fc.tuple(text, text).map(([whole, part]): Condition => ({
    text: `contains(${whole.text},${part.text})`,
    valueIn: (scene) => {
      const [left, right] = [whole.valueIn(scene), part.valueIn(scene)];
      return left === null || right === null ? null : left.includes(right);
    },
  }));
  const items = fc.constantFrom(places, ...textItems(scope));
  const any = items.map((of): Condition => ({
    text: `${of.text}/any()`,
    valueIn: (scene) => (of.valueIn(scene) ?? []).length > 0,
  }));
  const found = fc.tuple(text, fc.constantFrom(...textItems(scope))).map(([value, of]): Condition => ({
    text: `${value.text} in ${of.text}`,
    valueIn: (scene) => (of.valueIn(scene) ?? []).some((item) => (item ?? null) === value.valueIn(scene)),
  }));
  const noPlace = inReach(scope, true).map((name): Condition => ({
    text: `${name} eq null`,
    valueIn: (scene) => placeOf(scene, name) === null,
  }));
  const others = noPlace.length === 0 ? [] : [fc.constantFrom(...noPlace)];
  const inner = scope.length < 3 ? [any, found] : [];
  return fc.oneof({ arbitrary: comparison, weight: 4 }, contains, ...inner, ...others);
}

function lambda(scope: Scope, depth: number): fc.Arbitrary<Condition> {
  return fc
    .tuple(
      fc.constantFrom("any", "all"),
      fc.constantFrom(...NAMES),
      fc.constantFrom(places, places, ...textItems(scope)),
    )
    .chain(([operator, name, items]) => {
      const inner = [...scope, { name, isPlace: items === places }];
      return condition(inner, depth - 1).map((predicate): Condition => ({
        text: `${items.text}/${operator}(${name}:${predicate.text})`,
        valueIn: ({ it, variables }) => {
          const verdicts = (items.valueIn({ it, variables }) ?? []).map((item) =>
            predicate.valueIn({ it, variables: new Map([...variables, [name, item ?? null]]) }),
          );
          const isTrue = (verdict: boolean | null): boolean => verdict === true;
          return operator === "any" ? verdicts.some(isTrue) : verdicts.every(isTrue);
        },
      }));
    });
}

function condition(scope: Scope, depth: number): fc.Arbitrary<Condition> {
  if (depth <= 0) return leaf(scope);
  const deeper = condition(scope, depth - 1);
  const not = deeper.map(({ text, valueIn }): Condition => ({
    text: `not (${text})`,
    valueIn: (scene) => {
      const value = valueIn(scene);
      return value === null ? null : !value;
    },
  }));
  const logical = fc.tuple(deeper, fc.constantFrom("and", "or"), deeper).map(([left, operator, right]): Condition => ({
    text: `(${left.text} ${operator} ${right.text})`,
    valueIn: (scene) => {
      const values = new Set([left.valueIn(scene), right.valueIn(scene)]);
      const decisive = operator === "or";
      if (values.has(decisive)) return decisive;
      return values.has(null) ? null : !decisive;
    },
  }));
  const lambdas = scope.length < 3 ? [{ arbitrary: lambda(scope, depth), weight: 4 }] : [];
  return fc.oneof(leaf(scope), not, logical, ...lambdas);
}

const letter = fc.constantFrom(...LETTERS, null);
const letters = fc.array(letter, { maxLength: 3 });
const place: fc.Arbitrary<Place> = fc.record({ city: letter, phones: fc.option(letters) }, { requiredKeys: [] });
const product: fc.Arbitrary<Product> = fc.record({
  name: letter,
  tags: fc.option(letters),
  places: fc.array(fc.option(place), { maxLength: 3 }),
  address: fc.option(place),
});

test("filters with lambda operators mean the same as in a plain reference implementation", () => {
  let isTrue = 0;
  const runs = caseCount(2000);
  fc.assert(
    fc.property(lambda([], 4), fc.array(product, { minLength: 5, maxLength: 5 }), ({ text, valueIn }, products) => {
      const { shape, values } = bindCollection(`$filter=${text}`);
      const evaluate = compileExpression(shape.filter!.expression, "spec-compliant");
      for (const it of products) {
        const expected = valueIn({ it, variables: new Map() });
        expect(evaluate(it, new Evaluation(values)), text).toBe(expected);
        isTrue += expected === true ? 1 : 0;
      }
    }),
    { numRuns: runs },
  );
  // A generator of filters that nothing passes would prove little.
  expect(isTrue / (runs * 5)).toBeGreaterThan(0.2);
});
