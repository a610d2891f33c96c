import type { ConfigurationFault } from "../../../base/errors/configuration-error.ts";
import type { DatabaseKind, ObjectColumn } from "../../../databases/introspect/database-schema.ts";
import { rulesOf } from "../columns/rules-of.ts";
import type { DescribedColumn, DescribedEnumType } from "../described-service.ts";

/** The types of `--map`. */
export interface ForcedTypes {
  /** Returns the column with the type of an entry; undefined without one. */
  readonly apply: (place: string, column: ForcedColumn, isKey: boolean) => DescribedColumn | undefined;
  /** Returns the enumeration types of the entries. Call it after all columns are mapped. */
  readonly enumTypes: () => readonly DescribedEnumType[];
  /** Returns the faults of the entries. Call it after all columns are mapped. */
  readonly faults: () => readonly ConfigurationFault[];
}

/** Reads the types of `--map` by property, such as `Products.Discontinued`. */
export function mapReader(map: Readonly<Record<string, string>>): ForcedTypes {
  const unused = new Set(Object.keys(map));
  const faults: ConfigurationFault[] = [];
  const enumTypes: DescribedEnumType[] = [];
  return {
    apply: (place, column, isKey) => {
      const text = Object.hasOwn(map, place) ? map[place] : undefined;
      if (text === undefined) return undefined;
      unused.delete(place);
      const forced = parseForcedType(text);
      if (isKey) {
        faults.push({ message: `${place} is a part of the key, whose type is fixed.`, fix: "Remove it from `map`." });
      }
      if (forced === undefined) {
        faults.push({ message: `The type \`${text}\` of ${place} is unknown.`, fix: `Write ${MAP_FORMS}.` });
        return undefined;
      }
      const found = forced(column);
      if ("refused" in found) {
        const message = `${place} cannot have the type \`${text}\`: ${found.refused}.`;
        faults.push({ message, fix: "Write a type that fits the column, or remove the entry from `map`." });
        return undefined;
      }
      if (found.enumType !== undefined) enumTypes.push(found.enumType);
      return found.mapped;
    },
    enumTypes: () => enumTypes,
    faults: () => [
      ...faults,
      ...Array.from(unused, (place) => ({
        message: `\`map\` contains ${JSON.stringify(place)}, which is no property.`,
        fix: "Write the set and the property as the service names them, such as `Products.Discontinued`.",
      })),
    ],
  };
}

/** A column with an entry in `--map`. */
export interface ForcedColumn {
  readonly kind: DatabaseKind;
  readonly column: ObjectColumn;
  /** The column as the service would publish it without the entry; null for none. */
  readonly natural: DescribedColumn | null;
  /** Returns a name for an enumeration type of the property. */
  readonly nameEnum: () => string;
}

/** The mapping of a column by an entry: its type, or why the column cannot have it. */
type ForcedMapping =
  | { readonly mapped: DescribedColumn; readonly enumType?: DescribedEnumType }
  | { readonly refused: string };

/** A type of `--map` in place of the chosen one. */
type ForcedType = (column: ForcedColumn) => ForcedMapping;

/** The forms of `--map`, for messages. */
const MAP_FORMS =
  "`boolean(<false>,<true>)` with the cells of false and true, `enum(<Member>=<cell>,…)`, `number`, `decimal`, `string`, `epoch` for milliseconds since 1970, or `epoch-seconds`";

/** Types that `number` keeps as they are. */
const NUMBERS: ReadonlySet<unknown> = new Set(
  ["Byte", "SByte", "Int16", "Int32", "Int64", "Single", "Double", "Decimal"].map((name) => `Edm.${name}`),
);
const MEMBER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/**
 * Parses a type of `--map`: `boolean(0,1)` names the cells of false and true, `enum(Draft=0,Paid=1)` those of members.
 * @returns undefined for an unknown type
 */
export function parseForcedType(text: string): ForcedType | undefined {
  const [, word = "", list] = /^\s*([a-z-]+)\s*(?:\(([^()]*)\))?\s*$/i.exec(text) ?? [];
  const items = list?.split(",").map((item) => item.trim());
  const name = word.toLowerCase();
  if (items === undefined) return Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  if (name === "boolean") return parseBoolean(items);
  return name === "enum" ? parseEnum(items) : undefined;
}

const PLAIN: Readonly<Partial<Record<string, ForcedType>>> = {
  number: toNumber,
  decimal: toDecimal,
  string: toText,
  epoch: (column) => toInstant(column, "epoch", 3),
  "epoch-seconds": (column) => toInstant(column, "epoch-seconds", 0),
};

function parseBoolean([no, yes, ...more]: readonly string[]): ForcedType | undefined {
  if (no === undefined || yes === undefined || more.length > 0 || no === yes) return undefined;
  return ({ column }) => mapped("Edm.Boolean", { storage: { false: cellOf(no, column), true: cellOf(yes, column) } });
}

function parseEnum(items: readonly string[]): ForcedType | undefined {
  const pairs = items.map((item): readonly [string, string] => {
    const at = item.indexOf("=");
    return at < 0 ? [item, item] : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
  });
  const areDifferent = [0, 1].every((part) => new Set(pairs.map((pair) => pair[part])).size === pairs.length);
  if (!areDifferent || !pairs.every(([member]) => MEMBER.test(member))) return undefined;
  return ({ column, nameEnum }) => {
    const cells = pairs.map(([member, cell]) => [member, cellOf(cell, column)] as const);
    const areNumbers = cells.every(([, cell]) => typeof cell === "number");
    const texts = pairs.map(([member, cell]) => [member, cell] as const);
    const name = nameEnum();
    const members = cells.map(([member, cell], at) => ({ name: member, value: areNumbers ? Number(cell) : at }));
    const storage = { values: Object.fromEntries(areNumbers ? cells : texts) };
    return { ...mapped({ enumType: name }, { storage }), enumType: { name, members, description: null } };
  };
}

function toNumber({ kind, column, natural }: ForcedColumn): ForcedMapping {
  if (natural !== null && NUMBERS.has(natural.type)) return { mapped: natural };
  const type = rulesOf(kind).numberType(column);
  return type === undefined ? refused(column, "no number") : mapped(type);
}

/** The types of servers that a Decimal has in a storage other than the default. */
const DECIMALS: Readonly<Record<string, DescribedColumn["storage"]>> = {
  ...Object.fromEntries(["float", "double", "float4", "float8"].map((type) => [type, "real"])),
  ...Object.fromEntries(
    ["char", "varchar", "text", "tinytext", "mediumtext", "longtext"].map((type) => [type, "text"]),
  ),
};

function toDecimal({ kind, column, natural }: ForcedColumn): ForcedMapping {
  if (natural?.type === "Edm.Decimal") return { mapped: natural };
  const { precision, scale, sample, type } = column;
  const facets = precision === null || scale === null || scale < 0 ? {} : { precision, scale };
  if (rulesOf(kind).acceptsAnyCell) {
    const { texts = 0 } = sample ?? {};
    return mapped("Edm.Decimal", texts > 0 ? {} : { storage: "real", facets });
  }
  const storage = Object.hasOwn(DECIMALS, type) ? DECIMALS[type] : undefined;
  return storage === undefined ? refused(column, "no Decimal") : mapped("Edm.Decimal", { storage });
}

function toText({ kind, column, natural }: ForcedColumn): ForcedMapping {
  if (natural?.type === "Edm.String") return { mapped: natural };
  return mapped("Edm.String", rulesOf(kind).asText(column.name));
}

/** The types of servers whose numbers can be times, and whether they have enough digits for milliseconds. */
const TIMES: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(["bigint", "decimal", "double", "int8", "numeric", "float8"].map((type) => [type, true])),
  ...Object.fromEntries(["int", "int4"].map((type) => [type, false])),
};

function toInstant(
  { kind, column }: ForcedColumn,
  storage: "epoch" | "epoch-seconds",
  precision: number,
): ForcedMapping {
  const isLong = Object.hasOwn(TIMES, column.type) ? TIMES[column.type] : undefined;
  if (!rulesOf(kind).acceptsAnyCell && (isLong === undefined || (storage === "epoch" && !isLong))) {
    return refused(column, "no number of that many digits");
  }
  return mapped("Edm.DateTimeOffset", { facets: { precision }, storage });
}

function mapped(
  type: DescribedColumn["type"],
  given: Partial<DescribedColumn> = {},
): { readonly mapped: DescribedColumn } {
  return { mapped: { type, isCollection: false, facets: {}, storage: null, sql: null, isReadOnly: false, ...given } };
}

function refused({ definition }: ObjectColumn, what: string): ForcedMapping {
  return { refused: `its column is ${definition === "" ? "without a type" : definition}, ${what}` };
}

/** Returns a number for a column of numbers, else the text. A sample shows the content of a SQLite column. */
function cellOf(text: string, { sample, type }: ObjectColumn): number | string {
  const { texts = 0, integers = 0 } = sample ?? {};
  const isNumber = texts + integers === 0 ? /int|numeric|decimal|bit/i.test(type) : texts === 0;
  return isNumber && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
