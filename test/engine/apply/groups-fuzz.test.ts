import { arraySource, edm, entitySet, entityType, enumType, hasOptional, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { nodeDoor as door, url } from "../../service/http/doors.ts";

const Level = enumType("Level", { High: 3, Low: 1, Mid: 2 });
const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string().nullable() });
const Fact = entityType("Fact", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  level: edm.enum(Level).nullable(),
  price: edm.decimal({ scale: 3 }).nullable(),
  size: edm.int64().nullable(),
  part: edm.int32().nullable(),
  ratio: edm.double().nullable(),
  at: edm.dateTimeOffset().nullable(),
  took: edm.duration().nullable(),
  ownerId: edm.int32().nullable(),
});

/** A reproducible generator of whole numbers below a limit. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Row = Readonly<Record<string, unknown>>;

/** Values that are equal in different forms are among those of each property. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  text: [null, "a", "A", "a ", "ä", "", "\u{1F600}", "\uFFFD"],
  level: [null, "High", "Low", "Mid"],
  price: [null, "1.0", "1.00", "1", "-0.5", "99999999999999999.999", "0.001"],
  size: [null, 9223372036854775807n, -9223372036854775808n, 0n, 1n],
  part: [null, 0, 1, -1, 2147483647],
  ratio: [null, 0, -0, Number.NaN, Number.POSITIVE_INFINITY, 0.1, 0.2, -1.5],
  at: [
    null,
    "2024-01-01T00:00:00Z",
    "2024-01-01T01:00:00+01:00",
    "2024-01-01T00:00:00.000Z",
    "2023-12-31T23:59:59.999Z",
  ],
  took: [null, "PT24H", "P1D", "-PT0.5S", "PT0S", "-PT0S"],
  ownerId: [null, 1, 2, 3, 4],
};
const OWNERS = [
  { id: 1, name: "x" },
  { id: 2, name: null },
  { id: 3, name: "x" },
];

/** The values of one property, all equal ones in the same form. */
const EQUAL: Readonly<Record<string, (value: never) => unknown>> = {
  price: (value: string) => String(thousandths(value)),
  ratio: (value: number) => String(value + 0),
  at: (value: string) => Date.parse(value),
  took: (value: string) => halves(value),
};

/** The key of equal values; null is a value. */
function equalKey(property: string, value: unknown): string {
  if (value === null) return "null";
  const form = EQUAL[property];
  return `=${String(form === undefined ? value : form(value as never))}`;
}

const thousandths = (value: string): bigint => {
  const [whole = "0", fraction = ""] = value.split(".");
  return BigInt(whole + fraction.padEnd(3, "0"));
};
const halves = (value: string): number => ({ PT24H: 172_800, P1D: 172_800, "-PT0.5S": -1 })[value] ?? 0;

/** The text of a Decimal with so many fraction digits. */
function decimal(scaled: bigint, scale: number): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(scale + 1, "0");
  const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return scaled < 0n ? `-${text}` : text;
}

/** Rounds a quotient half away from zero. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const sign = dividend < 0n ? -1n : 1n;
  return sign * ((2n * sign * dividend + divisor) / (2n * divisor));
}

/** Returns the expected aggregates of rows, computed by separate arithmetic, as the text of JSON. */
function expected(rows: readonly Row[]): Readonly<Record<string, string>> {
  const some = <T>(property: string): T[] => rows.map((row) => row[property]).filter((value) => value !== null) as T[];
  const prices = some<string>("price").map(thousandths);
  const sizes = some<bigint>("size");
  const parts = some<number>("part");
  const ratios = some<number>("ratio");
  const instants = some<string>("at");
  const sum = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n);
  const none = (values: readonly unknown[], text: () => string): string => (values.length === 0 ? "null" : text());
  const float = (value: number): string => {
    if (Number.isNaN(value)) return "null";
    return Number.isFinite(value) ? String(value) : `"${String(value).replace("Infinity", "INF")}"`;
  };
  const distinct = (property: string): string =>
    String(new Set(some(property).map((value) => equalKey(property, value))).size);
  return {
    N: String(rows.length),
    Ps: none(prices, () => decimal(sum(prices), 3)),
    Pa: none(prices, () => decimal(rounded(sum(prices) * 1_000_000n, BigInt(prices.length)), 9).replace(/\.?0+$/u, "")),
    Px: none(prices, () =>
      decimal(
        prices.reduce((most, value) => (value > most ? value : most)),
        3,
      ),
    ),
    Zs: none(sizes, () => String(sum(sizes))),
    Zn: none(sizes, () => String(sizes.reduce((least, value) => (value < least ? value : least)))),
    Is: none(parts, () => String(parts.reduce((all, value) => all + value, 0))),
    Ia: none(parts, () => float(parts.reduce((all, value) => all + value, 0) / parts.length)),
    Rs: none(ratios, () => float(ratios.reduce((all, value) => all + value, 0))),
    Rd: distinct("ratio"),
    Td: distinct("text"),
    Ad: distinct("at"),
    An: none(instants, () => {
      const least = Math.min(...instants.map((value) => Date.parse(value)));
      return JSON.stringify(new Date(least).toISOString());
    }),
    Kd: distinct("took"),
  };
}

const AGGREGATES =
  "$count as N,Price with sum as Ps,Price with average as Pa,Price with max as Px,Size with sum as Zs,Size with min as Zn," +
  "Part with sum as Is,Part with average as Ia,Ratio with sum as Rs,Ratio with countdistinct as Rd,Text with countdistinct as Td," +
  "At with countdistinct as Ad,At with min as An,Took with countdistinct as Kd";

/** The grouping paths with the key of a row by them. */
const KEYS: Readonly<Record<string, (row: Row) => string>> = {
  ...Object.fromEntries(
    ["text", "level", "price", "size", "part", "ratio", "at", "took"].map((property) => [
      (property[0] ?? "").toUpperCase() + property.slice(1),
      (row: Row) => equalKey(property, row[property]),
    ]),
  ),
  "Owner/Name": (row) => {
    const owner = OWNERS.find(({ id }) => id === row["ownerId"]);
    return owner === undefined ? "no owner" : `owner ${String(owner.name)}`;
  },
};

/** Conditions of clients, with the same for a row. */
const CONDITIONS: ReadonlyArray<readonly [string, (row: Row) => boolean]> = [
  ["Part ge 0", ({ part }) => typeof part === "number" && part >= 0],
  ["Text eq 'a'", ({ text }) => text === "a"],
  ["Id le 20", ({ id }) => Number(id) <= 20],
];

function generate(next: (below: number) => number): readonly Row[] {
  return Array.from({ length: next(60) }, (_none, id) => ({
    id,
    ...Object.fromEntries(Object.entries(VALUES).map(([property, values]) => [property, values[next(values.length)]])),
  }));
}

/** The JSON text of each member of a row, without annotations. */
function membersOf(row: string): Readonly<Record<string, string>> {
  const members = [...row.matchAll(/"([A-Z][a-z]?)":("(?:[^"\\]|\\.)*"|[^,}]+)/gu)];
  return Object.fromEntries(members.map(([, name = "", value = ""]) => [name, value]));
}

describe("each group is what arithmetic on its rows gives", () => {
  test.each(Array.from({ length: caseCount(200) }, (_none, seed) => seed + 1))("rows %i", async (seed) => {
    const next = numbers(seed);
    const rows = generate(next);
    const source = { queryable: () => arraySource(Fact, rows as never) };
    const facts = entitySet(Fact, {
      ...source,
      navigation: { owner: hasOptional(Owner, { target: "Owners", on: { ownerId: "id" } }) },
    });
    const owners = entitySet(Owner, { queryable: () => arraySource(Owner, OWNERS) });
    const send = door.to(odataService({ prefix: "/f", profile: "standard", entitySets: [facts, owners] }));
    const names = Object.keys(KEYS);
    const paths = [...new Set(Array.from({ length: next(4) }, () => names[next(names.length)] ?? "Text"))];
    const [outer, keepsOuter] = CONDITIONS[next(4)] ?? ["Id ge 0", () => true];
    const [inner, keepsInner] = CONDITIONS[next(4)] ?? ["Id ge 0", () => true];
    const aggregate =
      paths.length === 0
        ? `filter(${inner})/aggregate(${AGGREGATES})`
        : `groupby((${paths.join()}),filter(${inner})/aggregate(${AGGREGATES}))`;
    const { text } = await send(
      url("/f/Facts", { $apply: `filter(${outer})/${aggregate}`, $format: "application/json;odata.metadata=none" }),
    );

    const groups = new Map<string, Row[]>();
    if (paths.length === 0) groups.set("", []);
    for (const row of rows.filter(keepsOuter)) {
      const key = paths.map((path) => KEYS[path]?.(row)).join("|");
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    const wanted = Array.from(groups.values(), (each) => expected(each.filter(keepsInner)));
    const found = text
      .slice('{"value":['.length, -2)
      .split(/(?<=\}),(?=\{)/u)
      .filter((row) => row !== "");
    const shown = found.map((row) => {
      const members = membersOf(row);
      return Object.fromEntries(Object.keys(expected([])).map((name) => [name, members[name]]));
    });
    const sorted = (all: readonly object[]): string[] => all.map((each) => JSON.stringify(each)).toSorted();
    expect(sorted(shown)).toEqual(sorted(wanted));
  });
});

/** Compares two values in ascending order: null first, strings by code point. */
function ascending(left: unknown, right: unknown): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === "string" && typeof right === "string") {
    return Buffer.compare(Buffer.from(left, "utf8"), Buffer.from(right, "utf8"));
  }
  return Number(left) - Number(right);
}

type Term = readonly [field: "text" | "part", descending: boolean];

function sortedBy(rows: readonly Row[], terms: readonly Term[]): readonly Row[] {
  return rows.toSorted((left, right) => {
    for (const [field, descending] of terms) {
      const order = ascending(left[field], right[field]);
      if (order !== 0) return descending ? -order : order;
    }
    return Number(left["id"]) - Number(right["id"]);
  });
}

/** Divides rows by the text that they have. */
function groupsOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const groups = new Map<unknown, Row[]>();
  for (const row of rows) groups.set(row["text"], [...(groups.get(row["text"]) ?? []), row]);
  return [...groups.values()];
}

describe("limits keep what sorting keeps", () => {
  test.each(Array.from({ length: caseCount(100) }, (_none, seed) => seed + 1))("rows %i", async (seed) => {
    const next = numbers(seed);
    const rows = generate(next);
    const facts = entitySet(Fact, { queryable: () => arraySource(Fact, rows as never) });
    const send = door.to(odataService({ prefix: "/f", profile: "standard", entitySets: [facts] }));
    const idsOf = async ($apply: string): Promise<readonly number[]> => {
      const { json } = await send(url("/f/Facts", { $apply, $select: "Id" }));
      const found = json.value as readonly { readonly Id: number }[];
      return found.map(({ Id }) => Id);
    };
    const ids = (all: readonly Row[]): readonly unknown[] => all.map(({ id }) => id);
    const [top, skip] = [1 + next(6), next(4)];
    const terms: readonly Term[] = [
      [next(2) === 0 ? "text" : "part", next(2) === 0],
      [next(2) === 0 ? "text" : "part", next(2) === 0],
    ];
    const order = terms.map(
      ([field, descending]) => (field === "text" ? "Text" : "Part") + (descending ? " desc" : ""),
    );
    const most = sortedBy(rows, [["part", true]]);
    const inGroups = (cut: (group: readonly Row[]) => readonly Row[]): readonly unknown[] =>
      ids(sortedBy(groupsOf(rows).flatMap(cut), []));

    expect(await idsOf(`orderby(${order.join()})/skip(${skip})/top(${top})`)).toEqual(
      ids(sortedBy(rows, terms).slice(skip, skip + top)),
    );
    expect(await idsOf(`topcount(${top},Part)`)).toEqual(ids(sortedBy(most.slice(0, top), [])));
    expect(await idsOf(`bottomcount(${top},Part)`)).toEqual(
      ids(sortedBy(sortedBy(rows, [["part", false]]).slice(0, top), [])),
    );
    expect(await idsOf(`groupby((Text),topcount(${top},Part))`)).toEqual(
      inGroups((group) => sortedBy(group, [["part", true]]).slice(0, top)),
    );
    expect(await idsOf(`groupby((Text),orderby(${order.join()})/skip(${skip})/top(${top}))`)).toEqual(
      inGroups((group) => sortedBy(group, terms).slice(skip, skip + top)),
    );
  });
});
