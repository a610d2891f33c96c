import {
  describeService,
  type DescribedService,
  type DatabaseSchema,
  type DescribeOptions,
  type IntrospectedDatabase,
  type ObjectName,
} from "odatakit/introspect";

/** A property of the key in a written module. */
const KEY = /^ {2}("(?:\\.|[^"\\])*"|[\p{ID_Continue}$]+): edm\..*\.key\(\)/gmu;

/** The warning for a set that a pull keeps. */
const MESSAGE = "is a view whose key PostgreSQL no longer proves, kept with the key of the last pull";

/**
 * Keeps the sets over views whose keys PostgreSQL no longer proves, since the views are still there: a pull must not delete them.
 * @param bases the texts that the last pull wrote
 * @returns the same service if no set is lost
 */
export function keepProvenKeys(
  { schema, described }: Pick<IntrospectedDatabase, "schema" | "described">,
  options: DescribeOptions,
  bases: readonly string[],
): DescribedService {
  const keyOf = ({ schema: of, name }: ObjectName): string => JSON.stringify([of, name]);
  const before = new Map(described.sets.map((set) => [keyOf(set.table), set]));
  const lost = new Map(
    schema.objects.flatMap((object): ReadonlyArray<readonly [string, readonly string[]]> => {
      if (object.kind !== "view" || object.omission !== null) return [];
      const base = before.has(keyOf(object)) ? undefined : bases.find((text) => isOver(text, object, schema));
      const key = base === undefined ? [] : keyIn(base);
      const isWhole = key.every((column) => object.columns.some(({ name }) => name === column));
      return key.length > 0 && isWhole ? [[keyOf(object), key]] : [];
    }),
  );
  if (lost.size === 0) return described;
  const unservable = described.warnings.filter(({ code }) => code === "unservable").map(({ place }) => place);
  const objects = schema.objects.map((object) => ({
    ...object,
    provenKey: lost.get(keyOf(object)) ?? object.provenKey,
  }));
  const kept = describeService(
    { ...schema, objects },
    { ...options, exclude: [...(options.exclude ?? []), ...unservable] },
  );
  const sets = kept.sets.map((set) => {
    const { excludes, leftOutRows } = before.get(keyOf(set.table)) ?? set;
    return { ...set, excludes, leftOutRows };
  });
  const isLost = (place: string): boolean =>
    sets.some(({ table }) => lost.has(keyOf(table)) && place === nameOf(table));
  const others = described.warnings.filter(({ code, place }) => code !== "no-key" || !isLost(place));
  const warnings = sets.flatMap(({ table }) =>
    lost.has(keyOf(table)) ? [{ code: "lost-key", place: nameOf(table), message: MESSAGE, flag: null }] : [],
  );
  return { ...kept, sets, warnings: [...others, ...warnings] };
}

function nameOf({ schema, name }: ObjectName): string {
  return `${schema}.${name}`;
}

/** Whether a written module declares the set over a view. */
function isOver(text: string, view: ObjectName, { defaultSchema }: Pick<DatabaseSchema, "defaultSchema">): boolean {
  const [schema, name] = [view.schema, view.name].map((each) => JSON.stringify(each));
  const own = view.schema === defaultSchema ? [String(name), `{ name: ${String(name)} }`] : [];
  const forms = [...own, JSON.stringify(nameOf(view)), `{ schema: ${String(schema)}, name: ${String(name)} }`];
  return forms.some((form) => text.includes(`\n  table: ${form},\n`));
}

/** Returns the columns of the key in a written module. */
function keyIn(text: string): readonly string[] {
  return [...text.matchAll(KEY)].map(([, field = ""]) => {
    const [, column = field] =
      /^(?:\{ name: )?("(?:\\.|[^"\\])*")/u.exec(text.split(`\n    ${field}: `)[1] ?? "") ?? [];
    return column.startsWith('"') ? String(JSON.parse(column)) : column;
  });
}
