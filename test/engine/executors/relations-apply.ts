import fc from "fast-check";
import { GRAPH, type Kind, LITERALS } from "./relations-graph.ts";
import {
  choose,
  condition,
  expandOf,
  filterOf,
  graphOf,
  join,
  keyOf,
  of,
  orderByOf,
  pageOption,
  pathsFrom,
  type Query,
  search,
  selectOf,
  sizes,
  type Text,
} from "./relations-queries.ts";

/**
 * Generates `$apply` and `$compute` over the sets of `GRAPH`, with values along navigations, on all routes that take them.
 * Requests that a service refuses are included.
 */

const SUMMED: readonly Kind[] = ["integer", "decimal", "double"];
const SORTED: readonly Kind[] = [...SUMMED, "text", "date", "instant", "size"];
const ALL: readonly Kind[] = [...SORTED, "boolean", "guid"];

/** Names that no response contains: ignored properties, which rules read, and missing ones. */
const WRONG = ["PublisherCountry", "publisherCountry", "TagCode", "Author/PublisherCountry", "Missing"];

/** A value that is computed of an entity. */
function computed(set: string): Text {
  return choose(
    [3, pathsFrom(set, ALL)],
    [2, join(pathsFrom(set, SUMMED), of(" mul 2", " add 1", " sub 0.5", " div 2"))],
    [2, join("length(", pathsFrom(set, ["text"]), ")")],
    [1, join(of("tolower(", "concat('a',"), pathsFrom(set, ["text"]), ")")],
    [1, join("cast(", pathsFrom(set, ALL), ",", of("Edm.String", "Edm.Int32", "Edm.Decimal"), ")")],
    [2, join("(", condition([{ prefix: "", set }], 1), ")")],
  );
}

const own = (set: string, kinds: readonly Kind[]): Text => {
  const { properties } = graphOf(set);
  return of(...Object.keys(properties).filter((name) => kinds.some((kind) => kind === properties[name])));
};

/** An aggregate of entities without its alias. */
function aggregate(set: string): Text {
  return choose(
    [4, of("$count")],
    [4, join(own(set, SUMMED), " with ", of("sum", "average", "min", "max", "countdistinct"))],
    [3, join(own(set, SORTED), " with ", of("min", "max", "countdistinct"))],
    [4, join(pathsFrom(set, ["integer"]), " mul 1 with ", of("sum", "average", "max"))],
    [2, join("length(", pathsFrom(set, ["text"]), ") with ", of("sum", "min"))],
    [3, join("concat('',", pathsFrom(set, ["text"]), ") with ", of("countdistinct", "max", "min"))],
    [1, join(pathsFrom(set, ALL), " with countdistinct")],
    [1, join("(", condition([{ prefix: "", set }], 1), ") with countdistinct")],
    [1, join(of(...WRONG), " with ", of("max", "countdistinct"))],
    ...Object.entries(graphOf(set).toMany).map(([name, target]): [number, Text] => [
      1,
      choose(
        [1, of(`${name}/$count`)],
        [2, join(`${name}/`, own(target, SUMMED), " with ", of("sum", "average", "countdistinct"))],
        [1, join(`${name}/`, pathsFrom(target, SORTED), " with ", of("min", "max", "countdistinct"))],
        [1, join(`${name}/`, of(...Object.keys(graphOf(target).toMany).map((next) => `${next}/$count`), "$count"))],
      ),
    ]),
  );
}

function aggregates(set: string): Text {
  return fc
    .array(aggregate(set), { minLength: 1, maxLength: 3 })
    .map((each) => `aggregate(${each.map((text, index) => `${text} as A${String(index)}`).join(",")})`);
}

const count = of("1", "2", "3", "7");

/** A step that keeps some entities. */
function kept(set: string): Text {
  const sorted = choose([3, pathsFrom(set, SORTED)], [1, join("length(", pathsFrom(set, ["text"]), ")")]);
  return choose(
    [4, join("filter(", filterOf(set), ")")],
    [2, join(of("topcount(", "bottomcount("), count, ",", sorted, ")")],
    [2, join("orderby(", orderByOf(set), ")/", of("", "skip(1)/"), "top(", count, ")")],
    [1, of("identity", "skip(1)")],
  );
}

const ended = (steps: readonly string[]): string => steps.map((step) => `${step}/`).join("");
const before = (set: string): Text => fc.array(kept(set), { maxLength: 2 }).map(ended);

/** The steps after a grouping, over its first key and its first aggregate. */
const after = (key: string): Text =>
  choose(
    [4, of("")],
    [2, of("/filter(A0 ne null)", `/filter(${key} eq null)`, "/filter(A0 eq A0)")],
    [2, of("/topcount(2,A0)", "/orderby(A0 desc)/top(2)", `/orderby(${key})/skip(1)`, "/bottomcount(1,A0)")],
    [
      1,
      of(
        `/groupby((${key}),aggregate(A0 with countdistinct as B0,$count as B1))`,
        "/groupby((A0),aggregate($count as B1))",
        "/aggregate(A0 with countdistinct as B0,A0 with max as A0,$count as B1)",
      ),
    ],
  );

function groups(set: string): Text {
  const paths = fc.uniqueArray(choose([12, pathsFrom(set, ALL)], [1, of(...WRONG)]), { minLength: 1, maxLength: 3 });
  const keys = fc.oneof(
    { weight: 4, arbitrary: paths.map((names) => ({ compute: "", names })) },
    {
      weight: 1,
      arbitrary: computed(set).map((text) => ({ compute: `compute(${text} as K)/`, names: ["K"] })),
    },
  );
  const within = choose([5, of("")], [2, join(kept(set), "/")]);
  return fc
    .tuple(before(set), keys, choose([5, join(",", within, aggregates(set))], [1, of("")]))
    .chain(([steps, { compute, names }, inner]) => {
      const start = `${steps}${compute}groupby((${names.join(",")})${inner})`;
      return inner === "" ? fc.constant(start) : after(names[0] ?? "").map((end) => start + end);
    });
}

/** Steps over properties of the entities themselves, without functions. */
function simple(set: string): Text {
  const plain = (kinds: readonly Kind[]): Text => own(set, kinds).filter((name) => !/[/$]/u.test(name));
  const condition = choose(
    [1, join(plain(["integer"]), of(" eq ", " gt ", " le "), of(...LITERALS.integer))],
    [1, join(plain(["text"]), of(" ne ", " eq "), of(...LITERALS.text))],
  );
  const kept = choose(
    [3, of("")],
    [2, join("filter(", condition, ")/")],
    [1, join("topcount(", count, ",", plain(["integer"]), ")/")],
  );
  const made = choose(
    [1, of("$count as A0")],
    [2, join(plain(SORTED), " with ", of("countdistinct", "min", "max"), " as A0")],
  );
  const steps = choose(
    [2, join("aggregate(", made, ",$count as N)")],
    [
      3,
      join(
        "groupby((",
        plain(ALL),
        "),aggregate(",
        made,
        ",$count as N))",
        of("", "/filter(N gt 1)", "/orderby(N desc)"),
      ),
    ],
  );
  return join(kept, steps);
}

/** The value of `$apply`. */
export function applyOf(set: string): Text {
  const plain = choose([6, groups(set)], [3, join(before(set), aggregates(set))], [2, join(before(set), kept(set))]);
  const searched = graphOf(set).isSearched ? join("search(", search, ")/", plain) : null;
  return choose([8, plain], [2, simple(set)], [1, searched], [2, join("concat(", plain, ",", plain, ")")]);
}

/** The options over the result of `$apply`, and computed values. */
const OPTIONS: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        $filter: of("A0 ne null", "A0 eq A0", "not (A0 eq null)"),
        $orderby: of("A0", "A0 desc"),
        $top: pageOption(4),
        $skip: pageOption(3),
        $count: of("true"),
        $select: of("A0"),
        $compute: of("A0 as Z", "A0 eq null as Z"),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ $orderby: of("Z desc"), $compute: of("A0 as Z"), $filter: of("Z ne null") }) },
);

function applied(set: string): fc.Arbitrary<Readonly<Record<string, string>>> {
  const entities = fc.tuple(before(set), kept(set)).chain(([steps, last]) =>
    fc.record(
      {
        $apply: fc.constant(steps + last),
        $expand: expandOf(set, 1),
        $select: selectOf(set),
        $orderby: orderByOf(set),
      },
      { requiredKeys: ["$apply"] },
    ),
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(applyOf(set), OPTIONS).map(([$apply, options]) => ({ $apply, ...options })) },
    { weight: 1, arbitrary: entities },
  );
}

function computes(set: string): fc.Arbitrary<Readonly<Record<string, string>>> {
  const values = fc.tuple(computed(set), computed(set)).map(([one, other]) => `${one} as X,${other} as Y`);
  const options = fc.record(
    {
      $filter: of("X ne null", "X eq X", "Y eq null or X ne null"),
      $orderby: of("X", "X desc,Y"),
      $select: of("X", "Y,X"),
      $expand: expandOf(set, 0),
      $top: pageOption(4),
      $count: of("true"),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(values, options).map(([$compute, more]) => ({ $compute, ...more }));
}

/** Computed values of related entities. */
function computesWithin(set: string): fc.Arbitrary<Readonly<Record<string, string>>> {
  const { toOne, toMany } = graphOf(set);
  const items = Object.entries({ ...toOne, ...toMany }).map(([name, target]) => {
    const more = name in toMany ? of("", ";$orderby=E desc", ";$filter=E ne null;$count=true") : of("");
    return join(`${name}($compute=`, computed(target), " as E", of("", ";$select=E"), more, ")");
  });
  return fc.oneof(...items).map(($expand) => ({ $expand }));
}

const names = Object.keys(GRAPH);

/** Any request with `$apply` or `$compute` to a set, its number, or an entity. */
export const applyQuery: fc.Arbitrary<Query> = fc.oneof(
  ...names.flatMap((set): readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Query> }[] => {
    const path = fc.constant(`/${set}`);
    return [
      { weight: 8, arbitrary: fc.record({ path, options: applied(set), pageSize: sizes }) },
      { weight: 2, arbitrary: fc.record({ path, options: computes(set), pageSize: sizes }) },
      { weight: 1, arbitrary: fc.record({ path, options: computesWithin(set) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          path: fc.constant(`/${set}/$count`),
          options: applyOf(set).map(($apply): Query["options"] => ({ $apply })),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          path: join(`/${set}(`, keyOf(set), ")"),
          options: computed(set).map(($compute): Query["options"] => ({ $compute: `${$compute} as X` })),
        }),
      },
    ];
  }),
);

/** The same along a navigation to many entities. */
export const applyAlong: fc.Arbitrary<Query> = fc.oneof(
  ...names.flatMap((set) =>
    Object.entries(graphOf(set).toMany).map(([name, target]) => {
      const path = join(`/${set}(`, keyOf(set), `)/${name}`, choose([6, of("")], [1, of("/$count")]));
      const options = fc.oneof({ weight: 4, arbitrary: applied(target) }, { weight: 1, arbitrary: computes(target) });
      return fc.record({ path, options, pageSize: sizes });
    }),
  ),
);

/** The options of `$apply` and `$compute` for the entities of a set. */
export function applyOptions(set: string): fc.Arbitrary<Readonly<Record<string, string>>> {
  return fc.oneof({ weight: 3, arbitrary: applied(set) }, { weight: 1, arbitrary: computes(set) });
}
