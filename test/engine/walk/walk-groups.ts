import { compare, literalOf } from "./compare-values.ts";
import type { WalkedProperty } from "./read-model.ts";
import { readPages, type ReadSet } from "./read-pages.ts";
import type { Entity, Walk } from "./walk.ts";

/** Types whose equal values have one text. */
const UNIQUE = /^Edm\.(?:String|Boolean|Guid|Byte|SByte|Int16|Int32|Int64|Date)$/u;
/** Types with a least and a greatest value that JSON shows in order. */
const ORDERED = /^Edm\.(?:String|Byte|SByte|Int16|Int32|Int64|Decimal|Date|DateTimeOffset)$/u;

const textOf = (value: unknown): string => JSON.stringify(value ?? null);

/** Groups by a property: each entity is in one group, with those of the same value, and aggregates are values of the set. */
export async function walkGroups(walk: Walk, read: ReadSet, property: WalkedProperty): Promise<void> {
  const { path, entities, total } = read;
  if (total === undefined || !property.type.startsWith("Edm.")) return;
  const name = encodeURIComponent(property.name);
  const target = `${path}?$apply=groupby((${name}),aggregate($count%20as%20Number__))`;
  const groups = await readPages(walk, target, total);
  if (groups === undefined) return;
  const sizes = new Map(groups.map((group) => [textOf(group[property.name]), Number(group["Number__"])]));
  if (sizes.size < groups.length) walk.fault(target, "repeats a group");
  const sum = [...sizes.values()].reduce((all, size) => all + size, 0);
  const isWhole = total === entities.length;
  if (isWhole && sum !== total) walk.fault(target, `groups ${String(sum)} of ${String(total)} entities`);
  if (isWhole && UNIQUE.test(property.type)) {
    const expected = new Map<string, number>();
    for (const entity of entities) {
      const text = textOf(entity[property.name]);
      expected.set(text, (expected.get(text) ?? 0) + 1);
    }
    const [found, wanted] = [sizes, expected].map((each) =>
      JSON.stringify([...each].toSorted(([left], [right]) => (left < right ? -1 : 1))),
    );
    if (found !== wanted) {
      walk.fault(target, `groups ${String(found).slice(0, 300)}, not ${String(wanted).slice(0, 300)}`);
    }
  }
  await aggregate(walk, read, property, isWhole ? groups.length - Number(sizes.has("null")) : undefined);
}

/** @param distinct the number of different values; undefined: unknown */
async function aggregate(
  walk: Walk,
  { path, entities }: ReadSet,
  property: WalkedProperty,
  distinct: number | undefined,
): Promise<void> {
  const name = encodeURIComponent(property.name);
  const isOrdered = ORDERED.test(property.type);
  const methods = ["countdistinct", ...(isOrdered ? ["min", "max"] : [])];
  const items = methods.map((method) => `${name}%20with%20${method}%20as%20${method}__`);
  const target = `${path}?$apply=aggregate(${items.join(",")})`;
  const [row] = (await walk.entities(target)) ?? [];
  if (row === undefined) return;
  if (distinct !== undefined && Number(row["countdistinct__"]) !== distinct) {
    walk.fault(target, `counts ${textOf(row["countdistinct__"])} different values, not ${String(distinct)}`);
  }
  const values = entities.map((entity) => entity[property.name]);
  const isBeyond = (value: unknown, end: unknown, sign: 1 | -1): boolean =>
    sign * (compare(property, shortest(value), shortest(end)) ?? 0) > 0;
  for (const [method, sign] of isOrdered
    ? ([
        ["min", -1],
        ["max", 1],
      ] as const)
    : []) {
    const end = row[`${method}__`];
    const other = values.find((value) => isValue(property, value) && (end === null || isBeyond(value, end, sign)));
    if (other !== undefined) walk.fault(target, `${method} is ${textOf(end)}, but there is ${textOf(other)}`);
  }
}

function isValue(property: WalkedProperty, value: Entity[string]): boolean {
  return literalOf(property, value) !== undefined;
}

/** Aggregated instants have no zeros at the end. */
function shortest(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/(T[\d:]+?)(?:\.0+|(\.\d*?)0+)Z$/u, "$1$2Z") : value;
}
