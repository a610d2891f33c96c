import type { DescribedService, WrittenModule } from "odatakit/introspect";
import { entriesOf, wholeEntry } from "./entries.ts";
import { editsOf } from "./merge-lines.ts";

/** A property in the text of a module. */
interface WrittenProperty {
  readonly key: string;
  /** The declaration after the key, with its options of `columns`. */
  readonly text: string;
  readonly column: string;
}

/** A property whose column has another name than at the last pull. */
export interface RenamedColumn {
  /** The keys of the property in the texts of the last pull and of this one. */
  readonly before: string;
  readonly after: string;
  readonly oldColumn: string;
  readonly column: string;
}

/**
 * Finds the properties of a module whose columns were renamed: in the place of a property is one of the same type, whose column
 * has another name.
 * @param base the text that the last pull wrote
 */
export function renamedColumnsOf(base: string, next: string): readonly RenamedColumn[] {
  return pairsOf(base, next).flatMap(([old, made]) =>
    old.text === made.text && old.column !== made.column && old.key !== made.key
      ? [{ before: old.key, after: made.key, oldColumn: old.column, column: made.column }]
      : [],
  );
}

/** Returns the pairs of an old property and the property that replaces it in its place. */
function pairsOf(base: string, other: string): ReadonlyArray<readonly [WrittenProperty, WrittenProperty]> {
  const old = propertiesOf(base);
  const made = propertiesOf(other);
  const keysOf = (properties: readonly WrittenProperty[]): readonly string[] => properties.map(({ key }) => key);
  let shift = 0;
  return editsOf(keysOf(old), keysOf(made)).flatMap(({ start, end, lines }) => {
    const place = start + shift;
    shift += lines.length - (end - start);
    const replaced = old.slice(start, end);
    return lines.length === replaced.length
      ? replaced.flatMap((property, index) => {
          const replacement = made[place + index];
          return replacement === undefined ? [] : [[property, replacement] as const];
        })
      : [];
  });
}

const PROPERTY = /^ {2}(?<key>"(?:\\.|[^"\\])*"|[\p{ID_Continue}$]+): (?<text>.*)$/su;
const COLUMN = /^\s+(?:"(?:\\.|[^"\\])*"|[\p{ID_Continue}$]+): (?:\{ name: )?(?<column>"(?:\\.|[^"\\])*")/u;

/** Returns the properties of the entity type of a module, in their order. */
function propertiesOf(text: string): readonly WrittenProperty[] {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => line.includes(" = entityType("));
  const end = lines.findIndex((line, index) => index > begin && line.startsWith("}"));
  const columns = columnLinesOf(lines);
  return [...entriesOf(lines)].flatMap(([path, [index = 0]]): readonly WrittenProperty[] => {
    if (index <= begin || index >= end || path.split("\n").length !== 2) return [];
    const { key = "", text: rest = "" } = PROPERTY.exec(wholeEntry(lines, index))?.groups ?? {};
    if (key === "") return [];
    const column = COLUMN.exec(lines[columns.get(key) ?? -1] ?? "")?.groups?.["column"];
    return [{ key, text: rest, column: column === undefined ? unquoted(key) : unquoted(column) }];
  });
}

/** Returns the indexes of the entries of `columns`, by their keys. */
function columnLinesOf(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    [...entriesOf(lines)].flatMap(([path, [index = 0]]) => {
      const [, section, key, ...below] = path.split("\n");
      return section === "columns" && key !== undefined && below.length === 0 ? [[key, index] as const] : [];
    }),
  );
}

function unquoted(key: string): string {
  return key.startsWith('"') ? String(JSON.parse(key)) : key;
}

/** The texts of the files of a folder, by the names of the files. */
interface FolderTexts {
  readonly yours: ReadonlyMap<string, string>;
  readonly bases: ReadonlyMap<string, string>;
}

/** The declarations in which edited properties keep their names, and the columns that were renamed. */
interface KeptProperties {
  readonly described: DescribedService;
  /** By the name of the file. */
  readonly columns: ReadonlyMap<string, readonly RenamedColumn[]>;
}

/** The inputs of the choice of properties that keep their names. */
interface KeptInput extends FolderTexts {
  /** The modules of the service, with the names that the database gives now. */
  readonly modules: readonly WrittenModule[];
  /** Whether properties that you edited keep their names, after their columns were renamed. */
  readonly keepMine: boolean;
  /** Whether the application gives the name of a property by `names`. */
  readonly isGiven: (typeName: string, name: string) => boolean;
}

/**
 * Keeps the names of properties whose columns were renamed. The other declarations then refer to your property, and not to one
 * that the merge leaves out. Later pulls keep these names, too.
 */
export function keepEditedProperties(service: DescribedService, input: KeptInput): KeptProperties {
  const { modules, yours, bases, keepMine, isGiven } = input;
  let described = service;
  const columns = new Map<string, readonly RenamedColumn[]>();
  for (const { path, text, table } of modules) {
    const [base = "", mine = ""] = [bases.get(path), yours.get(path)?.replaceAll("\r\n", "\n")];
    const set = service.sets.find((each) => each.table === table);
    if (set === undefined || base === "") continue;
    const names = new Map<string, string>();
    const keep = (key: string, kept: string): void => {
      const property = set.properties.find(({ field }) => field === key);
      if (property !== undefined && !isGiven(set.typeName, property.name)) names.set(key, kept);
    };
    for (const { key, kept } of keptBefore(base, text)) keep(key, kept);
    const renamed = keepMine ? renamedColumnsOf(base, text) : [];
    const edited = renamed.filter(({ before, after }) => {
      const key = keyInYours(before, base, mine);
      if (key !== undefined) keep(unquoted(after), unquoted(key));
      return key !== undefined;
    });
    if (edited.length > 0) columns.set(path, edited);
    if (names.size > 0) described = withKeys(described, set.typeName, withoutClashes(set, names));
  }
  return { described, columns };
}

/** Returns the properties that an earlier pull gave names unlike those of their columns. */
function keptBefore(base: string, next: string): ReadonlyArray<{ readonly key: string; readonly kept: string }> {
  const before = new Map(propertiesOf(base).map(({ key, column }) => [column, key]));
  return propertiesOf(next).flatMap(({ key, column }) => {
    const kept = before.get(column);
    return kept === undefined || kept === key || lettersOf(kept) === lettersOf(column)
      ? []
      : [{ key: unquoted(key), kept: unquoted(kept) }];
  });
}

/** Styles of names differ in the case of letters and in signs between words. */
function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Returns the key of a property in your text, if you edited the property. */
function keyInYours(before: string, base: string, mine: string): string | undefined {
  const [was, is] = [base, mine].map((text) => propertiesOf(text).find(({ key }) => key === before));
  if (is !== undefined) return is.text === was?.text && is.column === was.column ? undefined : before;
  return pairsOf(base, mine).find(([{ key }]) => key === before)?.[1].key;
}

/** Adds a number to the key of each other property that has a kept key: clients know the kept one. */
function withoutClashes(
  { properties, navigations }: Pick<DescribedService["sets"][number], "navigations" | "properties">,
  kept: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const names = new Map(kept);
  const others = properties.filter(({ field }) => !kept.has(field));
  const used = new Set([...kept.values(), ...[...others, ...navigations].map(({ field }) => field)].map(lettersOf));
  for (const { field } of others) {
    if (![...kept.values()].some((each) => each.toLowerCase() === field.toLowerCase())) continue;
    let number = 2;
    while (used.has(lettersOf(`${field}${number}`))) number += 1;
    names.set(field, `${field}${number}`);
    used.add(lettersOf(`${field}${number}`));
  }
  return names;
}

/** Gives properties of a type other keys, and the names that belong to them, in all declarations. */
function withKeys(service: DescribedService, owner: string, keys: ReadonlyMap<string, string>): DescribedService {
  const rename = (type: string, field: string): string => (type === owner ? (keys.get(field) ?? field) : field);
  return {
    ...service,
    sets: service.sets.map((set) => ({
      ...set,
      excludesNulls: set.excludesNulls.map((field) => rename(set.typeName, field)),
      properties: set.properties.map((property) => {
        const field = rename(set.typeName, property.field);
        return field === property.field
          ? property
          : { ...property, field, name: field.charAt(0).toUpperCase() + field.slice(1) };
      }),
      navigations: set.navigations.map((navigation) => {
        const { target, on, through } = navigation;
        return {
          ...navigation,
          on: on.map(([own, other]) => [rename(set.typeName, own), rename(target, other)] as const),
          through: through && {
            ...through,
            from: through.from.map(([own, column]) => [rename(set.typeName, own), column] as const),
            to: through.to.map(([column, other]) => [column, rename(target, other)] as const),
          },
        };
      }),
    })),
  };
}

/** Writes the new names of renamed columns into the option `columns` of a module. */
export function renameColumns(text: string, renamed: readonly RenamedColumn[]): string {
  if (renamed.length === 0) return text;
  const lines = text.split("\n");
  for (const index of columnLinesOf(lines).values()) {
    const line = lines[index] ?? "";
    const named = COLUMN.exec(line)?.groups?.["column"];
    const found = renamed.find(({ oldColumn }) => named !== undefined && unquoted(named) === oldColumn);
    if (named !== undefined && found !== undefined) {
      lines[index] = line.replace(named, () => JSON.stringify(found.column));
    }
  }
  return lines.join("\n");
}
