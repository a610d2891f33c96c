import fc from "fast-check";
import {
  binary,
  color,
  condition,
  date,
  decimal,
  duration,
  finite,
  guid,
  instant,
  integer,
  level,
  type Make,
  rank,
  string,
  type Text,
  time,
} from "./thing-queries.ts";

/**
 * Generates `$apply` and `$compute` over Thing: steps of every kind, grouped by properties and computed values of every type.
 * It generates no sum of doubles, which depends on the order of the rows.
 */

/** A property that values are grouped by, or whose values are aggregated. */
interface Path {
  readonly text: string;
  readonly hasSum: boolean;
  readonly hasOrder: boolean;
}

const path = (hasSum: boolean, hasOrder: boolean, texts: string): readonly Path[] =>
  texts.split(" ").map((text) => ({ text, hasSum, hasOrder }));

const PATHS: readonly Path[] = [
  ...path(true, true, "small count big price cost rate span home/number note/count note/price"),
  ...path(false, true, "name code ratio limit day time at second local epoch level rank stage mood grade home/city"),
  ...path(false, true, "home/geo/name home/geo/latitude note/text note/at"),
  ...path(false, false, "flag active uuid token bytes color paid open note/done"),
];

/** Makes values of every type. */
const VALUES: readonly Make[] = [
  string,
  integer,
  decimal,
  instant,
  date,
  time,
  duration,
  finite,
  guid,
  binary,
  level,
  rank,
  color,
  (depth) => condition(depth).map((text) => `(${text})`),
];
const SUMMED: readonly Make[] = [integer, decimal, duration];
const SORTED: readonly Make[] = [string, integer, decimal, instant, date, time, duration, finite];

const anyOf = (makes: readonly Make[]): Text => fc.oneof(...makes.map((make) => make(1)));

const count = fc.nat(6).map((number) => number + 1);

/** An aggregate of entities without its alias. */
const aggregate: Text = fc.oneof(
  fc.constant("$count"),
  fc.constantFrom(...PATHS).chain(({ text, hasSum, hasOrder }) => {
    const methods = ["countdistinct", ...(hasSum ? ["sum", "average"] : []), ...(hasOrder ? ["min", "max"] : [])];
    return fc.constantFrom(...methods).map((method) => `${text} with ${method}`);
  }),
  fc.tuple(anyOf(SUMMED), fc.constantFrom("sum", "average")).map(([text, method]) => `${text} with ${method}`),
  fc.tuple(anyOf(SORTED), fc.constantFrom("min", "max")).map(([text, method]) => `${text} with ${method}`),
  anyOf(VALUES).map((text) => `${text} with countdistinct`),
);

const aggregates: Text = fc
  .array(aggregate, { minLength: 1, maxLength: 3 })
  .map((each) => `aggregate(${each.map((text, index) => `${text} as A${String(index)}`).join(",")})`);

const limit: Text = fc.oneof(
  fc.tuple(count, anyOf(SORTED)).map(([most, text]) => `topcount(${String(most)},${text})`),
  fc.tuple(count, anyOf(SORTED)).map(([most, text]) => `bottomcount(${String(most)},${text})`),
  fc
    .tuple(anyOf(SORTED), fc.constantFrom("", " desc"), fc.nat(4), count)
    .map(([text, order, skip, most]) => `orderby(${text}${order})/skip(${String(skip)})/top(${String(most)})`),
);

const filter: Text = condition(1).map((text) => `filter(${text})`);
/** The steps before the last grouping of entities. */
const before: Text = fc.array(fc.oneof(filter, limit), { maxLength: 2 }).map((steps) => steps.map(ended).join(""));

function ended(step: string): string {
  return `${step}/`;
}

/** Computed values, and the names by which rows are grouped. */
const keys: fc.Arbitrary<readonly [compute: string, names: readonly string[]]> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...PATHS.map(({ text }) => text)), { maxLength: 3 }),
    fc.array(anyOf(VALUES), { maxLength: 1 }),
  )
  .filter(([paths, computed]) => paths.length + computed.length > 0)
  .map(([paths, computed]) => [
    computed.map((text) => `compute(${text} as K)/`).join(""),
    [...paths, ...computed.map(() => "K")],
  ]);

/** The steps within each group. */
const within: Text = fc.oneof(
  { weight: 4, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: filter.map(ended) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("topcount", "bottomcount"), count, anyOf(SORTED))
      .map(([name, most, text]) => `${name}(${String(most)},${text})/`),
  },
);

/** The steps after a grouping, over its first key and its first aggregate. */
const after = (key: string): Text =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: fc.constantFrom("/filter(A0 ne null)", `/filter(${key} eq null)`, "/filter(A0 eq A0)") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("/topcount(2,A0)", "/orderby(A0 desc)/top(3)", `/orderby(${key})/skip(1)`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        `/groupby((${key}),aggregate(A0 with countdistinct as B0,$count as B1))`,
        "/groupby((A0),aggregate($count as B1))",
        "/aggregate(A0 with countdistinct as B0,$count as B1)",
      ),
    },
  );

const groups: Text = fc.tuple(before, keys, within, aggregates).chain(([steps, [compute, names], inner, made]) => {
  const start = `${steps}${compute}groupby((${names.join(",")}),${inner}${made})`;
  return after(names[0] ?? "").map((end) => start + end);
});

const distinct: Text = fc
  .tuple(before, keys)
  .map(([steps, [compute, names]]) => `${steps}${compute}groupby((${names.join(",")}))`);

const page = fc.record(
  { $top: fc.nat(12).map(String), $skip: fc.nat(4).map(String), $count: fc.constant("true") },
  { requiredKeys: [] },
);

/** The options of a request. */
export interface ApplyOptions {
  readonly $apply?: string;
  readonly $compute?: string;
  readonly $filter?: string;
  readonly $orderby?: string;
  readonly $select?: string;
}

const applied: fc.Arbitrary<ApplyOptions> = fc.oneof(
  { weight: 6, arbitrary: groups.map(($apply) => ({ $apply })) },
  { weight: 1, arbitrary: groups.map(($apply) => ({ $apply, $orderby: "A0 desc" })) },
  { weight: 1, arbitrary: distinct.map(($apply) => ({ $apply })) },
  {
    weight: 1,
    arbitrary: fc.tuple(before, within, aggregates).map(([steps, inner, made]) => ({ $apply: steps + inner + made })),
  },
  { weight: 1, arbitrary: fc.tuple(before, limit).map(([steps, end]) => ({ $apply: steps + end, $select: "id" })) },
  {
    weight: 1,
    arbitrary: fc.tuple(groups, groups).map(([first, second]) => ({ $apply: `concat(${first},${second})` })),
  },
);

const computed: fc.Arbitrary<ApplyOptions> = fc
  .tuple(anyOf(VALUES), anyOf(SORTED), fc.constantFrom({}, { $orderby: "Y desc" }, { $filter: "X ne null" }))
  .map(([first, second, others]) => ({ $compute: `${first} as X,${second} as Y`, $select: "id,X,Y", ...others }));

/** A query with `$apply` or `$compute`. */
export const applyQuery: fc.Arbitrary<ApplyOptions> = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: applied }, { weight: 1, arbitrary: computed }), page)
  .map(([options, limits]) => ({ ...options, ...limits }));
