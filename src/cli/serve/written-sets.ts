import type { DeclareOptions, DescribedSet, DescribedWarning } from "odatakit/introspect";
import { usageProblem, type Problem } from "../problem.ts";
import type { ServeSettings } from "./serve-settings.ts";

/** The sets that requests may write. */
export interface WrittenSets {
  readonly of: NonNullable<DeclareOptions["operations"]>;
  /** Returns a warning for each written set whose rows cannot be created. */
  readonly warnings: (sets: readonly DescribedSet[]) => readonly DescribedWarning[];
  /** Returns a problem for each name of `--write` that is no set which can be written. */
  readonly unknown: (sets: readonly DescribedSet[]) => readonly Problem[];
}

/** Chooses the operations of each set by `--write`. Only tables with a primary key can be written. */
export function writtenOperations(write: ServeSettings["write"]): WrittenSets {
  const isNamed = (name: string): boolean => write === "all" || (write?.includes(name) ?? false);
  return {
    of: (set) => {
      if (!isWritable(set) || !isNamed(set.setName)) return ["read"];
      return set.unsuppliedColumns.length > 0
        ? ["read", "replace", "patch", "delete"]
        : ["read", "create", "replace", "patch", "delete"];
    },
    warnings: (sets) =>
      sets
        .filter((set) => isWritable(set) && isNamed(set.setName) && set.unsuppliedColumns.length > 0)
        .map(({ setName, unsuppliedColumns }) => ({
          code: "no-create",
          place: setName,
          message: `accepts no new entities, because ${unsuppliedColumns.join(", ")} needs a value that no property supplies`,
          flag: null,
        })),
    unknown: (sets) => {
      if (write === null || write === "all") return [];
      return write.flatMap((name): readonly Problem[] => {
        const found = sets.find(({ setName }) => setName === name);
        if (found !== undefined && isWritable(found)) return [];
        const reason = found === undefined ? "is no entity set" : "has no primary key, or is a view";
        return [usageProblem(`\`--write=${name}\`: ${name} ${reason}.`, "`odatakit inspect` lists the entity sets.")];
      });
    },
  };
}

function isWritable({ kind, key, excludesNulls, excludes }: DescribedSet): boolean {
  return kind === "table" && key === "primary key" && excludesNulls.length === 0 && excludes.length === 0;
}
