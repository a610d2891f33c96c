import type { DescribedWarning } from "odatakit/introspect";

/** Warnings with the same cause. */
export interface WarningGroup {
  /** The cause as a heading. */
  readonly title: string;
  readonly warnings: readonly DescribedWarning[];
}

/** The causes from the most severe to the least, with their titles. A code may be the beginning of others. */
const CAUSES: ReadonlyArray<readonly [code: string, title: string]> = [
  ["unreadable-key", "Rows left out"],
  ["unreadable", "Tables and views that cannot be read"],
  ["unservable", "Sets that cannot be served"],
  ["user", "Users who bypass row-level security"],
  ["shared-key", "Given keys that rows share"],
  ["unchecked-key", "Given keys that were not checked"],
  ["given-key", "Given keys that cannot be used"],
  ["hidden-key", "Tables omitted with a hidden key"],
  ["no-key", "Tables and views omitted without a key"],
  ["foreign-key", "Foreign keys without a navigation"],
  ["mapped-key", "Foreign keys that a mapping removes"],
  ["no-create", "Sets that accept no new entities"],
  ["glob", "Names in the settings that match nothing"],
  ["unused-name", "Names in the settings that match nothing"],
  ["privilege", "Columns that the user cannot select"],
  ["omitted-", "Columns of types without a value for clients"],
  ["no-name", "Tables and columns without a name"],
  ["cells", "Columns with cells of other types"],
  ["null-cells", "Columns with cells without a value, such as infinity and zero dates"],
  ["flag", "Flags with other numbers than 0 and 1"],
  ["inexact", "Columns with rounded numbers"],
  ["unique-key", "Keys that the database does not guarantee"],
  ["rowid", "Tables whose key is the rowid"],
  ["secret", "Columns omitted because of their names"],
  ["invisible", "Invisible columns"],
];

/** Groups warnings by cause, the most severe first. */
export function groupWarnings(warnings: readonly DescribedWarning[]): readonly WarningGroup[] {
  const groups = new Map<string, DescribedWarning[]>();
  for (const warning of warnings) {
    const group = groups.get(warning.code);
    if (group === undefined) groups.set(warning.code, [warning]);
    else group.push(warning);
  }
  return Array.from(groups, ([code, group]) => ({ place: placeOf(code), warnings: group }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ place, warnings: group }) => ({ title: CAUSES[place]?.[1] ?? "Other differences", warnings: group }));
}

/** Causes without a title are the least severe. */
function placeOf(code: string): number {
  const place = CAUSES.findIndex(([known]) => code === known || (known.endsWith("-") && code.startsWith(known)));
  return place < 0 ? CAUSES.length : place;
}
