import fc from "fast-check";
import { TEXTS } from "./thing-texts.ts";

/**
 * Generates expressions on Thing, of every type: names, edge literals, operators and functions of the standard. It
 * generates nothing where executors may differ: NaN, which SQL does not have.
 */

export type Text = fc.Arbitrary<string>;
/** Makes the expressions of a type with a limited depth. */
export type Make = (depth: number) => Text;

const of = (...texts: readonly string[]): Text => fc.constantFrom(...texts);

/** Mostly the first ones. */
const mostly = (plain: Text, ...others: readonly Text[]): Text =>
  fc.oneof({ weight: others.length + 2, arbitrary: plain }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));

/** Joins parts: `join("contains(", a, ",", b, ")")`. */
const join = (...parts: ReadonlyArray<string | Text>): Text =>
  fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((texts) => texts.join(""));

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The literals of each type that a list can contain. */
const literalsOf = new Map<Make, readonly string[]>();

function leaf(properties: readonly string[], literals: readonly string[]): Make {
  const make: Make = () => mostly(of(...properties), of(...literals), of(...literals));
  literalsOf.set(
    make,
    literals.filter((literal) => !literal.endsWith("()")),
  );
  return make;
}

/** Nests while there is depth left. */
function nested(leaves: Make, ...deeper: readonly Make[]): Make {
  const make: Make = (depth) =>
    depth <= 0 ? leaves(0) : mostly(leaves(0), ...deeper.map((inner) => inner(depth - 1)));
  literalsOf.set(make, literalsOf.get(leaves) ?? []);
  return make;
}

const stringLeaf = leaf(["name", "code", "home/city", "home/geo/name", "note/text"], TEXTS.map(quoted));
export const string: Make = nested(
  stringLeaf,
  (depth) => join(of("tolower(", "toupper(", "trim("), string(depth), ")"),
  (depth) => join("concat(", string(depth), ",", string(depth), ")"),
  () => join(of("tolower(", "toupper(", "trim("), of("level", "stage", "mood", "rank", "grade"), ")"),
  (depth) => join("cast(", castSource(depth), ",'Edm.String')"),
  (depth) => join("substring(", string(depth), ",", integer(depth), ")"),
  (depth) => join("substring(", string(depth), ",", integer(depth), ",", integer(depth), ")"),
);

/** Values whose text each database writes. */
const castSource: Make = (depth) =>
  fc.oneof(
    integer(depth),
    decimal(depth),
    finite(depth),
    date(depth),
    time(depth),
    guid(0),
    binary(0),
    of("at", "local", "flag", "paid"),
  );

const instantLiterals = [
  "2024-02-29T12:00:00Z",
  "2024-02-29T12:00:00.0000001Z",
  "2024-02-29T14:00:00+02:00",
  "2024-02-29T23:59:59.999Z",
  "2024-02-29T23:59:59.9995Z",
  "2024-03-01T00:00:00Z",
  "1969-12-31T23:59:59.001Z",
  "1970-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.9999Z",
  "-0044-03-15T12:00:00Z",
  "12024-01-01T00:00:00Z",
  "mindatetime()",
  "maxdatetime()",
];
/** Numbers of 16 to 40 digits, among them doubles as JavaScript writes them. */
const WIDE: readonly string[] = [
  "0.3333333333333333",
  "1.1000000000000001",
  "0.30000000000000004",
  "-2.675000000000000000",
  "0.1234567890123456789012345",
  "99999999999999999999.9999999999999999",
  "0.000000000000000000000000000003",
  "1234567890123456789012345678901234567890",
  "3.141592653589793238462643383279502884197",
];
const durationLiterals = [
  "PT0S",
  "PT36H",
  "P1DT12H",
  "-PT0.5S",
  "PT0.5S",
  "P400D",
  "-P1D",
  "PT60S",
  "PT0.333333333333S",
].map((text) => `duration'${text}'`);
const instantLeaf = leaf(["at", "second", "local", "epoch", "note/at"], instantLiterals);
export const instant: Make = nested(instantLeaf, (depth) =>
  join("(", instant(depth), of(" add ", " sub "), duration(depth), ")"),
);
const dateLeaf = leaf(["day"], ["2024-02-29", "2000-01-01", "0001-01-01", "9999-12-31", "-0044-03-15", "12024-01-01"]);
export const date: Make = nested(
  dateLeaf,
  (depth) => join("date(", instant(depth), ")"),
  (depth) => join("cast(cast(", date(depth), ",Edm.String),Edm.Date)"),
  (depth) => join("(", date(depth), of(" add ", " sub "), duration(depth), ")"),
);
export const time: Make = nested(
  leaf(["time"], ["00:00:00", "12:00:00.50", "12:00", "23:59:59.999", "12:00:00.0500", "07:08:09.123456789012"]),
  (depth) => join("time(", instant(depth), ")"),
);
export const duration: Make = nested(
  leaf(["span"], durationLiterals),
  (depth) => join("(", duration(depth), of(" add ", " sub "), duration(depth), ")"),
  (depth) => join("(", duration(depth), of(" mul ", " div "), of("2", "0.5", "-3", "1.5e0", ...WIDE), ")"),
  (depth) => join("(", duration(depth), " mul ", of("small", "cost", "price"), ")"),
  (depth) => join("(", instant(depth), " sub ", instant(depth), ")"),
  (depth) => join("(", date(depth), " sub ", date(depth), ")"),
  (depth) => join("(-", duration(depth), ")"),
);

const integerLiterals = [
  "0",
  "1",
  "-1",
  "2",
  "3",
  "7",
  "10",
  "100",
  "2147483647",
  "9007199254740993",
  "9223372036854775807",
];
export const integer: Make = nested(
  leaf(["id", "small", "count", "big", "home/number", "note/count"], integerLiterals),
  (depth) => join("(", integer(depth), of(" add ", " sub ", " mul "), integer(depth), ")"),
  (depth) => join("(", integer(depth), of(" div ", " mod "), of("small", "count", "big", "2", "-3", "7"), ")"),
  (depth) => join("(-", integer(depth), ")"),
  (depth) => join("length(", string(depth), ")"),
  (depth) =>
    join(
      "cast(",
      fc.oneof(string(depth), integer(depth), decimal(depth), finite(depth)),
      of(",Edm.Byte)", ",Edm.Int16)", ",Edm.Int64)"),
    ),
  (depth) => join("indexof(", string(depth), ",", string(depth), ")"),
  (depth) => join(of("year(", "month(", "day("), fc.oneof(date(depth), instant(depth)), ")"),
  (depth) => join(of("hour(", "minute(", "second("), fc.oneof(time(depth), instant(depth)), ")"),
  (depth) => join("totaloffsetminutes(", instant(depth), ")"),
  () => of("tags/$count", "note/words/$count", "parts/$count"),
);

const decimalLiterals = [
  "0.0",
  "1.1",
  "1.10",
  "-1.10",
  "1.005",
  "-0.005",
  "2.5",
  "99.99",
  "12345678901234567890.123456789",
  "0.25",
  "1000000.1",
  ...WIDE,
];
export const decimal: Make = nested(
  leaf(["price", "cost", "rate", "note/price"], decimalLiterals),
  (depth) => join("(", decimal(depth), of(" add ", " sub ", " mul "), fc.oneof(decimal(depth), integer(depth)), ")"),
  (depth) => join("(", decimal(depth), of(" div ", " mod "), of("cost", "price", "small", "2", "-0.3", ...WIDE), ")"),
  (depth) => join("(-", decimal(depth), ")"),
  (depth) => join("(", integer(depth), " divby ", of("small", "count", "7", "-3"), ")"),
  (depth) => join("cast(", string(depth), ",Edm.Decimal)"),
  (depth) => join(of("round(", "floor(", "ceiling("), fc.oneof(decimal(depth), integer(depth)), ")"),
  (depth) => join("fractionalseconds(", fc.oneof(instant(depth), time(depth)), ")"),
  (depth) => join("totalseconds(", duration(depth), ")"),
);

const doubleLiterals = ["0e0", "1e0", "2.5e0", "-7.5e0", "1e-1", "1.5e3", "9007199254740992e0", "1.1000000000000001e0"];
/** Without the infinities, whose arithmetic makes NaN. */
export const finite: Make = nested(
  leaf(["ratio", "home/geo/latitude"], doubleLiterals),
  (depth) => join("(", finite(depth), of(" add ", " sub ", " mul "), fc.oneof(finite(depth), of("count", "cost")), ")"),
  (depth) => join("(", finite(depth), of(" div ", " mod "), of("2e0", "-3e0", "0.5e0"), ")"),
  (depth) => join("(-", finite(depth), ")"),
  (depth) => join("cast(", fc.oneof(string(depth), decimal(depth)), of(",Edm.Double)", ",Edm.Single)")),
  (depth) => join(of("round(", "floor(", "ceiling("), finite(depth), ")"),
);
const double: Make = (depth) => mostly(finite(depth), of("limit", "INF", "-INF", "floor(limit)", "round(limit)"));
literalsOf.set(double, [...doubleLiterals, "INF", "-INF"]);

export const guid: Make = leaf(
  ["uuid", "token"],
  [
    "01234567-89ab-cdef-0123-456789abcdef",
    "01234567-89AB-CDEF-0123-456789ABCDEF",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ],
);
export const binary: Make = leaf(["bytes"], ["binary''", "binary'AQID'", "binary'AA'", "binary'_w'"]);
export const level: Make = leaf(["level", "stage", "mood"], ["'Low'", "Test.Level'High'", "'Least'", "Test.Level'5'"]);
export const rank: Make = leaf(["rank", "grade"], ["'First'", "'Top'", "Test.Rank'Second'"]);
export const color: Make = leaf(["color"], ["'Red'", "Test.Color'Red,Green'", "'White'", "'None'", "Test.Color'3'"]);

/** Expressions that can be compared with one another. */
const COMPARABLE: readonly (readonly [left: Make, right: Make])[] = [
  [string, string],
  [integer, integer],
  [decimal, decimal],
  [double, double],
  [integer, decimal],
  [integer, double],
  [decimal, double],
  [date, date],
  [instant, instant],
  [date, instant],
  [time, time],
  [duration, duration],
  [guid, guid],
  [binary, binary],
  [level, level],
  [rank, rank],
  [color, color],
];
const SINGLE: readonly Make[] = [
  string,
  integer,
  decimal,
  double,
  date,
  instant,
  time,
  duration,
  guid,
  binary,
  level,
  rank,
  color,
];

const OPERATORS = of(" eq ", " ne ", " gt ", " ge ", " lt ", " le ");
const comparison: Make = (depth) =>
  fc.oneof(
    ...COMPARABLE.map(([left, right]) => join(left(depth), OPERATORS, right(depth))),
    ...COMPARABLE.map(([left, right]) => join(right(depth), OPERATORS, left(depth))),
  );
const nullTest: Make = (depth) =>
  join(
    fc.oneof(...SINGLE.map((make) => make(depth)), of("home", "home/geo", "note", "null", "flag", "paid")),
    of(" eq null", " ne null", " gt null"),
  );
/** Conditions on the items of a collection, which may also use properties of the entity. */
const lambda: Make = (depth) =>
  fc.oneof(
    of("tags/any()", "parts/any()", "note/words/any()", "name in tags", "'a' in note/words", "1.1 in amounts"),
    overItems("tags", "t", [
      join("t", OPERATORS, string(depth)),
      join(of("contains(", "startswith("), "t,", string(depth), ")"),
    ]),
    overItems("note/words", "w", [join("w", OPERATORS, string(depth)), join("length(w)", OPERATORS, integer(depth))]),
    overItems("amounts", "a", [join("a", OPERATORS, decimal(depth)), join("round(a)", OPERATORS, integer(depth))]),
    overItems("parts", "p", [
      join("p/size", OPERATORS, integer(depth)),
      join("p/price", OPERATORS, decimal(depth)),
      join("p/level", OPERATORS, level(depth)),
      join("p/code", of(" eq ", " ne ", " gt "), string(depth)),
      of("p eq null", "p ne null", "p/size in (1,2,null)", "tags/any(t:t eq p/code)", "p/code eq $it/name"),
    ]),
  );

function overItems(path: string, variable: string, conditions: readonly Text[]): Text {
  const one = fc.oneof(...conditions);
  const predicate = fc.oneof(one, join(one, of(" and ", " or "), one), join("not (", one, ")"));
  return join(path, of("/any(", "/all("), `${variable}:`, predicate, ")");
}

const list: Make = (depth) =>
  fc.oneof(
    ...SINGLE.map((make) =>
      join(
        make(depth),
        " in (",
        fc
          .oneof(
            { weight: 5, arbitrary: fc.constant([1, 4] as const) },
            { weight: 1, arbitrary: fc.constant([17, 20] as const) },
          )
          .chain(([minLength, maxLength]) =>
            fc.array(of(...(literalsOf.get(make) ?? []), "null"), { minLength, maxLength }),
          )
          .map((items) => items.join(",")),
        ")",
      ),
    ),
  );

/** A Boolean expression that can be an operand. */
export const condition: Make = nested(
  (depth) =>
    fc.oneof(
      { weight: 8, arbitrary: comparison(depth) },
      { weight: 2, arbitrary: nullTest(depth) },
      {
        weight: 1,
        arbitrary: of("flag", "active", "note/done", "flag eq true", "active ne false", "flag eq active", "null"),
      },
      {
        weight: 1,
        arbitrary: of(
          "paid",
          "open",
          "paid eq false",
          "open ne true",
          "paid le open",
          "flag eq paid",
          "open in (true)",
        ),
      },
      { weight: 2, arbitrary: list(depth) },
      { weight: 2, arbitrary: lambda(depth) },
      {
        weight: 1,
        arbitrary: of(
          "color has 'Red'",
          "color has Test.Color'Red,Green'",
          "color has '64'",
          "color ne 'Red,+64'",
          "level has 'Low'",
          "color has color",
          "stage has 'Low'",
        ),
      },
    ),
  (depth) => comparison(depth),
  (depth) => join(of("contains(", "startswith(", "endswith("), string(depth), ",", string(depth), ")"),
  (depth) => join("(", condition(depth), of(" and ", " or "), condition(depth), ")"),
  (depth) =>
    join("(", condition(depth), of(" and ", " or "), condition(depth), of(" and ", " or "), condition(depth), ")"),
  (depth) => join("not (", condition(depth), ")"),
  (depth) => join("((", condition(depth), ")", of(" eq ", " ne ", " gt ", " le "), "(", condition(depth), "))"),
  (depth) => join("(", condition(depth), of(") in (true,null)", ") in (false)", ") in (true,false,null)")),
);

const sortKey: Make = (depth) =>
  fc.oneof(...SINGLE.map((make) => make(depth)), of("flag", "active", "paid", "open"), condition(0));
const orderBy: Text = fc
  .array(join(sortKey(1), of("", " asc", " desc")), { minLength: 1, maxLength: 3 })
  .map((items) => items.join(","));

const PROPERTIES: readonly string[] = (
  "id name code small count big ratio limit price cost rate flag active uuid token bytes day time at second local epoch " +
  "span level rank color home home/city home/number home/geo home/geo/name note note/text tags amounts parts " +
  "stage mood grade paid open secret"
).split(" ");

/** The query options of a request, by name. */
export interface Options {
  readonly $filter?: string;
  readonly $orderby?: string;
  readonly $select?: string;
  readonly $top?: string;
  readonly $skip?: string;
  readonly $count?: string;
}

/** Any query that a client may send. */
export const query: fc.Arbitrary<Options> = fc.record(
  {
    $filter: condition(3),
    $orderby: orderBy,
    $select: fc.uniqueArray(of(...PROPERTIES), { minLength: 1, maxLength: 6 }).map((names) => names.join(",")),
    $top: fc.nat(12).map(String),
    $skip: fc.nat(8).map(String),
    $count: of("true", "false"),
  },
  { requiredKeys: ["$filter"] },
);

/** A query as a target. */
export function targetOf(options: object): string {
  const pairs = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `/Things?${pairs.join("&")}`;
}
