import fc from "fast-check";
import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { expect, test } from "vitest";
import { caseCount } from "../../cases.ts";

const Node = entityType("Node", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  tags: edm.collection(edm.string().nullable()),
  nextId: edm.int32().nullable(),
  parentId: edm.int32().nullable(),
});

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly tags: readonly (string | null)[];
  readonly nextId: number | null;
  readonly parentId: number | null;
}

/** The state of the reference: all nodes, the current node, and the range variables by name. */
interface Scene {
  readonly rows: readonly Row[];
  readonly it: Row;
  readonly variables: ReadonlyMap<string, unknown>;
}

/** A part of a filter: its text, and its meaning by the standard, regardless of speed. */
interface Part<Value> {
  readonly text: string;
  readonly valueIn: (scene: Scene) => Value;
}

type Condition = Part<boolean | null>;
type Entity = Part<Row | null>;
/** The range variables in scope, the inner ones last. */
type Scope = readonly { readonly name: string; readonly isNode: boolean }[];

const LETTERS = ["a", "b", "ab"] as const;
const NAMES = ["n", "m", "Name", "Children"] as const;

const nextOf = (rows: readonly Row[], row: Row | null) =>
  row === null ? null : (rows.find(({ id }) => id === row.nextId) ?? null);
const childrenOf = (rows: readonly Row[], row: Row | null) =>
  row === null ? [] : rows.filter(({ parentId }) => parentId === row.id);

function inReach(scope: Scope, isNode: boolean): readonly string[] {
  const names = [...new Set(scope.map(({ name }) => name))];
  return names.filter((name) => scope.findLast((variable) => variable.name === name)?.isNode === isNode);
}

/** A node in which a path can start, and up to two navigations from it. */
function entities(scope: Scope): readonly Entity[] {
  const starts: readonly Entity[] = [
    { text: "$it", valueIn: ({ it }) => it },
    { text: "$root/Nodes(2)", valueIn: ({ rows }) => rows.find(({ id }) => id === 2) ?? null },
    ...inReach(scope, true).map((name): Entity => ({
      text: name,
      valueIn: ({ variables }) => variables.get(name) as Row,
    })),
  ];
  const along = (from: readonly Entity[]): readonly Entity[] =>
    from.map(({ text, valueIn }) => ({
      text: `${text}/Next`,
      valueIn: (scene) => nextOf(scene.rows, valueIn(scene)),
    }));
  const next = along(starts);
  return [...starts, ...next, ...along(next)];
}

function texts(scope: Scope): readonly Part<string | null>[] {
  return [
    ...LETTERS.map((letter) => ({ text: `'${letter}'`, valueIn: () => letter })),
    { text: "null", valueIn: () => null },
    ...inReach(scope, false).map((name) => ({
      text: name,
      valueIn: ({ variables }: Scene) => (variables.get(name) ?? null) as string | null,
    })),
    ...entities(scope).map(({ text, valueIn }) => ({
      text: `${text}/Name`,
      valueIn: (scene: Scene) => valueIn(scene)?.name ?? null,
    })),
  ];
}

const COMPARISONS: Readonly<Record<string, (left: string | null, right: string | null) => boolean>> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  lt: (left, right) => left !== null && right !== null && left < right,
};

function leaf(scope: Scope): fc.Arbitrary<Condition> {
  const text = fc.constantFrom(...texts(scope));
  const entity = fc.constantFrom(...entities(scope));
  const comparison = fc
    .tuple(text, fc.constantFrom(...Object.keys(COMPARISONS)), text)
    .map(([left, operator, right]): Condition => ({
      text: `${left.text} ${operator} ${right.text}`,
      valueIn: (scene) => COMPARISONS[operator]?.(left.valueIn(scene), right.valueIn(scene)) ?? null,
    }));
  const nowhere = fc.constantFrom(...entities(scope).filter(({ text: path }) => /Next$|^\$root/u.test(path)));
  const isNull = fc.tuple(nowhere, fc.constantFrom("eq", "ne")).map(([of, operator]): Condition => ({
    text: `${of.text} ${operator} null`,
    valueIn: (scene) => (of.valueIn(scene) === null) === (operator === "eq"),
  }));
  const any = entity.map((of): Condition => ({
    text: `${of.text}/Children/any()`,
    valueIn: (scene) => childrenOf(scene.rows, of.valueIn(scene)).length > 0,
  }));
  const count = fc.tuple(entity, fc.nat(2)).map(([of, least]): Condition => ({
    text: `${of.text}/Children/$count ge ${String(least)}`,
    valueIn: (scene) => {
      const node = of.valueIn(scene);
      return node !== null && childrenOf(scene.rows, node).length >= least;
    },
  }));
  const found = fc.tuple(text, entity).map(([value, of]): Condition => ({
    text: `${value.text} in ${of.text}/Tags`,
    valueIn: (scene) => (of.valueIn(scene)?.tags ?? []).includes(value.valueIn(scene)),
  }));
  const inner = scope.length < 3 ? [any, found] : [];
  return fc.oneof({ arbitrary: comparison, weight: 4 }, isNull, count, ...inner);
}

function lambda(scope: Scope, depth: number): fc.Arbitrary<Condition> {
  return fc
    .tuple(
      fc.constantFrom("any", "all"),
      fc.constantFrom(...NAMES),
      fc.constantFrom(...entities(scope)),
      fc.integer({ min: 0, max: 3 }).map((choice) => choice > 0),
    )
    .chain(([operator, name, of, isNode]) =>
      condition([...scope, { name, isNode }], depth - 1).map((predicate): Condition => ({
        text: `${of.text}/${isNode ? "Children" : "Tags"}/${operator}(${name}:${predicate.text})`,
        valueIn: (scene) => {
          const owner = of.valueIn(scene);
          const items: readonly unknown[] = isNode ? childrenOf(scene.rows, owner) : (owner?.tags ?? []);
          const verdicts = items.map((item) =>
            predicate.valueIn({ ...scene, variables: new Map([...scene.variables, [name, item]]) }),
          );
          const isTrue = (verdict: boolean | null): boolean => verdict === true;
          return operator === "any" ? verdicts.some(isTrue) : verdicts.every(isTrue);
        },
      })),
    );
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
const reference = fc.option(fc.integer({ min: 1, max: 6 }));
const graph: fc.Arbitrary<readonly Row[]> = fc
  .array(
    fc.record({ name: letter, tags: fc.array(letter, { maxLength: 2 }), nextId: reference, parentId: reference }),
    { minLength: 1, maxLength: 5 },
  )
  .map((nodes) => nodes.map((node, index) => ({ id: index + 1, ...node })));

/** How related nodes are found: by joins, or by handlers, in a batch or one by one. */
type Load = "join" | "getBatch" | "get";

function serviceOver(rows: readonly Row[], load: Load) {
  const next = (key: number): Row | null => nextOf(rows, rows.find(({ id }) => id === key) ?? null);
  const children = (key: number): readonly Row[] => childrenOf(rows, rows.find(({ id }) => id === key) ?? null);
  const handlers = {
    join: [{ on: { nextId: "id" } }, { on: { id: "parentId" } }],
    get: [{ get: next }, { get: children }],
    getBatch: [
      { getBatch: (keys: readonly number[]) => new Map(keys.map((key) => [key, next(key)])) },
      { getBatch: (keys: readonly number[]) => new Map(keys.map((key) => [key, children(key)])) },
    ],
  } as const;
  const [toNext, toChildren] = handlers[load];
  return odataService({
    entitySets: [
      entitySet(Node, {
        getAll: () => rows,
        navigation: {
          next: hasOptional(Node, { target: "Nodes", ...(toNext as object) }),
          children: hasMany(Node, { target: "Nodes", ...(toChildren as object) }),
        },
      }),
    ],
  });
}

test("filters along navigations mean the same as in a plain reference implementation", async () => {
  let kept = 0;
  let asked = 0;
  const load = fc.constantFrom<Load>("join", "getBatch", "get");
  await fc.assert(
    fc.asyncProperty(condition([], 3), graph, load, async ({ text, valueIn }, rows, how) => {
      const url = `http://service.example/Nodes?$select=Id&$filter=${encodeURIComponent(text)}`;
      const answer = await serviceOver(rows, how).fetch(new Request(url));
      const body = JSON.parse(await answer.text()) as { readonly value?: readonly { readonly Id: number }[] };
      const expected = rows.filter((it) => valueIn({ rows, it, variables: new Map() }) === true);
      expect(
        body.value?.map(({ Id }) => Id),
        `${text} ${JSON.stringify(body)}`,
      ).toEqual(expected.map(({ id }) => id));
      kept += expected.length;
      asked += rows.length;
    }),
    { numRuns: caseCount(1000) },
  );
  // A generator of filters that nothing passes would prove little.
  expect(kept / asked).toBeGreaterThan(0.2);
});
