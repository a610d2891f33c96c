import fc from "fast-check";
import { GRAPH, KEYS, LITERALS, type Kind, type SetGraph } from "./relations-graph.ts";
import { NAMES } from "./relations-rows.ts";

/**
 * Generates requests to the sets of `GRAPH`: every option, along every navigation, on all routes that read. Requests
 * that a service may refuse are included, so that refusals are compared too.
 */

export type Text = fc.Arbitrary<string>;

/** A request: the path, the options by name, and the page size that the client prefers. */
export interface Query {
  readonly path: string;
  readonly options: Readonly<Record<string, string>>;
  readonly pageSize?: number | undefined;
}

/** An entity that expressions can use. */
interface Variable {
  /** The prefix of its properties: nothing, or a name and a slash. */
  readonly prefix: string;
  readonly set: string;
}

export const of = (...texts: readonly string[]): Text => fc.constantFrom(...texts);

export const join = (...parts: ReadonlyArray<string | Text>): Text =>
  fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((texts) => texts.join(""));

/** Alternatives with weights; those without an arbitrary are not possible at this place. */
export function choose(...alternatives: ReadonlyArray<readonly [weight: number, arbitrary: Text | null]>): Text {
  return fc.oneof(
    ...alternatives.flatMap(([weight, arbitrary]) => (arbitrary === null ? [] : [{ weight, arbitrary }])),
  );
}

export function graphOf(set: string): SetGraph {
  const graph = GRAPH[set];
  if (graph === undefined) throw new Error(`There is no set ${set}.`);
  return graph;
}

/** Most navigations of a path. */
const HOPS = 2;

interface Path {
  readonly text: string;
  readonly set: string;
}

const walked = new Map<string, readonly Path[]>();

/** The entities that single-valued navigations lead to from a set, starting with itself. */
function walksFrom(set: string): readonly Path[] {
  const known = walked.get(set);
  if (known !== undefined) return known;
  const found: Path[] = [{ text: "", set }];
  for (let start = 0, hop = 0; hop < HOPS; hop += 1) {
    const end = found.length;
    for (; start < end; start += 1) {
      const at = found[start];
      if (at === undefined) continue;
      for (const [name, target] of Object.entries(graphOf(at.set).toOne)) {
        found.push({ text: `${at.text}${name}/`, set: target });
      }
    }
  }
  walked.set(set, found);
  return found;
}

/** A path from the variables, more often from the nearest ones. */
function reach(variables: readonly Variable[], namesOf: (graph: SetGraph) => readonly string[]): Text | null {
  const perWalk = variables.flatMap(({ prefix, set }) =>
    walksFrom(set).flatMap(({ text, set: at }) => {
      const names = namesOf(graphOf(at));
      const weight = [12, 5, 2][text.split("/").length - 1] ?? 1;
      return names.length === 0 ? [] : [[weight, of(...names.map((name) => prefix + text + name))] as const];
    }),
  );
  return perWalk.length === 0 ? null : choose(...perWalk);
}

function propertiesOf(variables: readonly Variable[], kind: Kind): Text | null {
  return reach(variables, ({ properties }) => Object.keys(properties).filter((name) => properties[name] === kind));
}

/** Paths from an entity to properties of some kinds, along navigations to one entity; each set has texts and integers. */
export function pathsFrom(set: string, kinds: readonly Kind[]): Text {
  const namesOf = ({ properties }: SetGraph): readonly string[] =>
    Object.keys(properties).filter((name) => !name.includes("$") && kinds.some((kind) => kind === properties[name]));
  return choose([1, reach([{ prefix: "", set }], namesOf)]);
}

const KINDS = Object.keys(LITERALS) as readonly Kind[];
const literal = (kind: Kind): Text => of(...LITERALS[kind]);

/** `$root/Set(key)/Property`. */
function rooted(kind: Kind): Text | null {
  const all = Object.entries(GRAPH).flatMap(([set, { properties }]) => {
    const names = Object.keys(properties).filter((name) => properties[name] === kind && !name.includes("$"));
    return names.length === 0
      ? []
      : [[1, join(`$root/${set}(`, of(...(KEYS[set] ?? [])), ")/", of(...names))] as const];
  });
  return all.length === 0 ? null : choose(...all);
}

/** Returns `$root/Set(key)/Navigation` with the given ends. */
function rootedMany(...ends: readonly string[]): Text {
  const all = Object.entries(GRAPH).flatMap(([set, { toMany }]) =>
    Object.keys(toMany).map((name) => join(`$root/${set}(`, of(...(KEYS[set] ?? [])), `)/${name}`)),
  );
  return join(fc.oneof(...all), of(...ends));
}

/** The calls that make a value of a kind from a string. */
const CALLS: { readonly [kind in Kind]?: readonly string[] } = {
  text: ["tolower(", "toupper(", "trim("],
  integer: ["length(", "indexof('Ada',"],
};

/** A value of a kind. */
function value(variables: readonly Variable[], kind: Kind): Text {
  const property = propertiesOf(variables, kind);
  const counts =
    kind === "integer" ? reach(variables, ({ toMany }) => Object.keys(toMany).map((n) => `${n}/$count`)) : null;
  const texts = propertiesOf(variables, "text");
  const calls = CALLS[kind];
  const computed = texts === null || calls === undefined ? null : join(of(...calls), texts, ")");
  return choose(
    [8, property],
    [3, counts],
    [2, computed],
    [1, rooted(kind)],
    [kind === "integer" ? 1 : 0, rootedMany("/$count")],
    [property === null ? 1 : 0, literal(kind)],
  );
}

const OPERATORS = [" eq ", " ne ", " gt ", " ge ", " lt ", " le "];

function comparisons(variables: readonly Variable[]): Text {
  const perKind = KINDS.flatMap((kind): ReadonlyArray<readonly [number, Text]> => {
    if (propertiesOf(variables, kind) === null) return [];
    const left = value(variables, kind);
    const weight = kind === "text" || kind === "integer" ? 3 : 1;
    return [
      [weight * 4, join(left, of(...OPERATORS), literal(kind))],
      [weight, join(left, of(...OPERATORS), value(variables, kind))],
      [weight, join(left, of(" eq null", " ne null"))],
      [weight, join(left, " in (", literal(kind), ",", literal(kind), ",null)")],
    ];
  });
  return choose(...perKind);
}

/** `Nav/any(x: …)` and `Nav/all(x: …)`. */
function lambdaOf(variables: readonly Variable[], depth: number): Text | null {
  const all = variables.flatMap(({ prefix, set }) =>
    walksFrom(set).flatMap(({ text, set: at }) =>
      Object.entries(graphOf(at).toMany).map(([name, target]) => {
        const variable = of("x", "y", `v${String(depth)}`, name.toLowerCase());
        const inner = variable.chain((named) => {
          const inScope = [
            ...variables.filter(({ prefix: known }) => known !== `${named}/`),
            { prefix: `${named}/`, set: target },
          ];
          return join(`(${named}:`, of("", " "), condition(inScope.toReversed(), depth - 1), ")");
        });
        const weight = text === "" ? 8 : 1;
        return [
          weight,
          choose(
            [1, of(`${prefix}${text}${name}/any()`)],
            [4, join(`${prefix}${text}${name}/`, of("any", "all"), inner)],
          ),
        ] as const;
      }),
    ),
  );
  return all.length === 0 ? null : choose(...all);
}

/** Conditions that repeat a call, in a chain with others. */
function repeated(variables: readonly Variable[]): Text | null {
  const texts = propertiesOf(variables, "text");
  if (texts === null) return null;
  const calls = of("tolower(", "trim(", "toupper(trim(");
  return fc.tuple(texts, texts, calls, of(" and ", " or ")).chain(([text, other, call, operator]) => {
    const end = call.replaceAll(/[^(]/g, "").replaceAll("(", ")");
    const value = of(...[text, text, text, other].map((name) => call + name + end));
    const test = choose(
      [4, join(of("contains(", "startswith("), value, ",", literal("text"), ")")],
      [1, join(value, of(...OPERATORS), literal("text"))],
      [1, join("not (", value, of(...OPERATORS), value, ")")],
      [1, comparisons(variables)],
    );
    return fc.array(test, { minLength: 5, maxLength: 7 }).map((tests) => `(${tests.join(operator)})`);
  });
}

const conditions = new Map<string, Text>();

/** A Boolean expression of limited depth. */
export function condition(variables: readonly Variable[], depth: number): Text {
  const key = `${String(depth)} ${variables.map(({ prefix, set }) => prefix + set).join()}`;
  const known = conditions.get(key);
  if (known !== undefined) return known;
  const texts = propertiesOf(variables, "text");
  const deeper = depth <= 0 ? null : condition(variables, depth - 1);
  const found = choose(
    [10, comparisons(variables)],
    [2, propertiesOf(variables, "boolean")],
    [2, texts === null ? null : join(of("contains(", "startswith(", "endswith("), texts, ",", literal("text"), ")")],
    [2, navigationNull(variables)],
    [1, wordsOf(variables)],
    [1, repeated(variables)],
    [1, rootedMany("/any()", "/any(z: 1 eq 1)", "/$count eq 1")],
    [6, depth <= 0 ? null : lambdaOf(variables, depth)],
    [3, deeper === null ? null : join("(", deeper, of(" and ", " or "), deeper, ")")],
    [2, deeper === null ? null : join("not (", deeper, ")")],
    [1, deeper === null ? null : join("(", deeper, of(") eq null", ") ne null", ") eq true", ") in (false,null)"))],
    [1, deeper === null ? null : join("((", deeper, of(") eq (", ") ne ("), deeper, "))")],
  );
  conditions.set(key, found);
  return found;
}

/** `Nav eq null`. */
function navigationNull(variables: readonly Variable[]): Text | null {
  const paths = reach(variables, ({ toOne }) => Object.keys(toOne));
  return paths === null ? null : join(paths, of(" eq null", " ne null"));
}

/** A condition on a collection of values. */
function wordsOf(variables: readonly Variable[]): Text | null {
  const paths = reach(variables, ({ others }) => others.filter((name) => name === "Words"));
  return paths === null
    ? null
    : join(paths, of("/any(w: w eq ", "/all(w: w lt ", "/any(w: length(w) gt 3 or w ge "), literal("text"), ")");
}

/** Conditions on a set, and on related entities that are expanded: those cannot be called `$it`. */
export function filterOf(set: string, isExpanded = false): Text {
  const plain = condition([{ prefix: "", set }], 2);
  const variables = ["$it/", ""].map((prefix) => ({ prefix, set }));
  return isExpanded ? plain : choose([6, plain], [1, condition(variables, 1)]);
}

/** Values of `$orderby` of a set. */
export function orderByOf(set: string): Text {
  const variables = [{ prefix: "", set }];
  const plain = reach(variables, ({ properties }) => Object.keys(properties));
  const counts = reach(variables, ({ toMany }) => Object.keys(toMany).map((name) => `${name}/$count`));
  const term = choose([8, plain], [2, counts], [1, condition(variables, 1)]);
  return fc.array(join(term, of("", " asc", " desc")), { minLength: 1, maxLength: 3 }).map((terms) => terms.join(","));
}

export function selectOf(set: string): Text {
  const { properties, others, toOne, toMany } = graphOf(set);
  const plain = Object.keys(properties).filter((name) => !name.includes("$"));
  const names = of(...plain, ...plain, ...others, ...Object.keys(toOne), ...Object.keys(toMany));
  return choose(
    [9, fc.uniqueArray(names, { minLength: 1, maxLength: 4 }).map((chosen) => chosen.join(","))],
    [1, of("*")],
  );
}

const WORDS = ["ada", "Ada", "a", "ünï", "name", "%", "x", "paulo"];
const searched = of(...WORDS, ...NAMES.filter((text) => /^[^"\\]+$/.test(text)).map((text) => `"${text}"`));
export const search: Text = choose(
  [5, searched],
  [2, join(searched, of(" ", " AND ", " OR "), searched)],
  [2, join("NOT ", searched)],
  [1, join("(", searched, " OR ", searched, ") NOT ", searched)],
  [1, join(searched, " OR ", searched, " ", searched, " OR NOT ", searched, " ", searched)],
);

export const pageOption = (most: number): Text => fc.nat(most).map(String);

/** The options within the parentheses of an expansion. */
function nestedOptions(set: string, isMany: boolean, depth: number): Text {
  const option = (name: string, text: Text | null, share: number): Text =>
    text === null
      ? fc.constant("")
      : fc.oneof(
          { weight: 10 - share, arbitrary: fc.constant("") },
          { weight: share, arbitrary: text.map((value) => `${name}=${value}`) },
        );
  const parts = [
    option("$filter", filterOf(set, true), 3),
    option("$select", selectOf(set), 3),
    option("$expand", depth <= 0 ? null : expandOf(set, depth - 1), 4),
    option("$search", graphOf(set).isSearched ? search : null, 1),
    ...(isMany
      ? [
          option("$orderby", orderByOf(set), 4),
          option("$skip", pageOption(3), 2),
          option("$top", pageOption(4), 3),
          option("$count", of("true", "false"), 3),
        ]
      : []),
  ];
  return fc.tuple(...parts).map((texts) => texts.filter((text) => text !== "").join(";"));
}

function expandItem(set: string, depth: number): Text {
  const { toOne, toMany } = graphOf(set);
  const items = [...Object.entries(toOne), ...Object.entries(toMany)].map(([name, target]) => {
    const isMany = name in toMany;
    const options = nestedOptions(target, isMany, depth);
    const withOptions = options.map((text) => (text === "" ? name : `${name}(${text})`));
    const levels =
      target !== set
        ? null
        : join(
            `${name}(`,
            options.map((text) => (text === "" ? "" : `${text};`)),
            of("$levels=2", "$levels=max", "$levels=1"),
            ")",
          );
    const references = isMany ? of(`${name}/$ref`, `${name}/$count`) : of(`${name}/$ref`);
    return [1, choose([8, withOptions], [2, levels], [1, references])] as const;
  });
  return choose(...items);
}

const expansions = new Map<string, Text>();

/** The value of `$expand`: items with different names, or a star. */
export function expandOf(set: string, depth: number): Text {
  const key = `${set} ${String(depth)}`;
  const known = expansions.get(key);
  if (known !== undefined) return known;
  const nameOf = (item: string): string => /^\w+/.exec(item)?.[0] ?? item;
  const items = fc
    .uniqueArray(expandItem(set, depth), { minLength: 1, maxLength: 2, selector: nameOf })
    .map((chosen) => chosen.join(","));
  const found = choose([12, items], [1, of("*")], [1, join("*,", expandItem(set, depth))], [1, of("*/$ref")]);
  expansions.set(key, found);
  return found;
}

/** How many of ten requests have an option. */
const SHARES: Readonly<Record<string, number>> = {
  $filter: 6,
  $orderby: 5,
  $expand: 6,
  $select: 3,
  $search: 2,
  $skip: 3,
  $top: 3,
  $count: 3,
};

/** Some of the options. */
function some(options: Readonly<Record<string, Text>>): fc.Arbitrary<Readonly<Record<string, string>>> {
  const entries = Object.entries(options).map(([name, text]) => {
    const share = SHARES[name] ?? 0;
    const present = { weight: share, arbitrary: text.map((found) => [name, found] as const) };
    return fc.oneof({ weight: 10 - share, arbitrary: fc.constant([name, null] as const) }, present);
  });
  return fc
    .tuple(...entries)
    .map((pairs) =>
      Object.fromEntries(pairs.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]))),
    );
}

export const sizes = fc.oneof(fc.constant(undefined), fc.constant(undefined), fc.integer({ min: 1, max: 4 }));

function collectionQuery(set: string): fc.Arbitrary<Query> {
  const options = some({
    $filter: filterOf(set),
    $orderby: orderByOf(set),
    $expand: expandOf(set, 2),
    $select: selectOf(set),
    ...(graphOf(set).isSearched ? { $search: search } : {}),
    $skip: pageOption(4),
    $top: pageOption(6),
    $count: of("true", "false"),
  });
  return fc.record({ path: fc.constant(`/${set}`), options, pageSize: sizes });
}

function countQuery(set: string): fc.Arbitrary<Query> {
  const options = some({ $filter: filterOf(set), ...(graphOf(set).isSearched ? { $search: search } : {}) });
  return fc.record({ path: fc.constant(`/${set}/$count`), options });
}

export const keyOf = (set: string): Text => of(...(KEYS[set] ?? [])).map((key) => encodeURIComponent(key));

function entityQuery(set: string): fc.Arbitrary<Query> {
  const options = some({ $select: selectOf(set), $expand: expandOf(set, 2) });
  return fc.record({ path: join(`/${set}(`, keyOf(set), ")"), options });
}

/** The routes along the navigations of a set. */
function navigationQueries(set: string): ReadonlyArray<fc.Arbitrary<Query>> {
  const { toOne, toMany } = graphOf(set);
  const none = fc.constant({});
  const single = Object.entries(toOne).flatMap(([name, target]) => {
    const path = join(`/${set}(`, keyOf(set), `)/${name}`);
    return [
      fc.record({ path, options: some({ $select: selectOf(target) }) }),
      fc.record({ path: join(path, "/$ref"), options: none }),
    ];
  });
  const several = Object.entries(toMany).flatMap(([name, target]) => {
    const path = join(`/${set}(`, keyOf(set), `)/${name}`);
    const options = some({
      $orderby: propertyOrder(target),
      $skip: pageOption(3),
      $top: pageOption(4),
      $count: of("true", "false"),
      $select: selectOf(target),
    });
    return [
      fc.record({ path, options, pageSize: sizes }),
      fc.record({ path: join(path, "/$count"), options: none }),
      fc.record({ path: join(path, "/$ref"), options: none }),
      fc.record({ path: join(path, "(", keyOf(target), ")"), options: some({ $select: selectOf(target) }) }),
    ];
  });
  return [...single, ...several];
}

function propertyOrder(set: string): Text {
  const names = of(...Object.keys(graphOf(set).properties).filter((name) => !name.includes("$")));
  return fc.array(join(names, of("", " desc")), { minLength: 1, maxLength: 2 }).map((terms) => terms.join(","));
}

const sets = Object.keys(GRAPH);

/** Any request that reads a set: a collection, its number, or one entity. */
export const setQuery: fc.Arbitrary<Query> = fc.oneof(
  { weight: 8, arbitrary: fc.oneof(...sets.map(collectionQuery)) },
  { weight: 1, arbitrary: fc.oneof(...sets.map(countQuery)) },
  { weight: 2, arbitrary: fc.oneof(...sets.map(entityQuery)) },
);

/** Any request that follows one navigation from one entity. */
export const navigationQuery: fc.Arbitrary<Query> = fc.oneof(...sets.flatMap(navigationQueries));

/** The target of a request. */
export function targetOf({ path, options }: Query): string {
  const pairs = Object.entries(options).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}
