import { keptPer } from "../../base/memo.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { SelectedProperty, SelectExpandClause } from "./clauses.ts";

/** Returns the properties of one level of a clause whose values a function of the application makes. */
export const virtualIn: (clause: SelectExpandClause) => readonly StructuralProperty[] = keptPer((clause) =>
  Object.freeze(shownIn(clause).filter(({ stream }) => stream === undefined)),
);

/** Returns the streams of one level of a clause. */
export const streamsIn: (clause: SelectExpandClause) => readonly StructuralProperty[] = keptPer((clause) =>
  Object.freeze(shownIn(clause).filter(({ stream }) => stream !== undefined)),
);

/** Returns the properties of one level that responses show otherwise than entities have them. */
function shownIn({ selected }: SelectExpandClause): readonly StructuralProperty[] {
  return selected.map(({ property }) => property).filter(({ virtual }) => virtual !== undefined);
}

/** Whether any level of a clause has such properties, so that responses show other values than are read. */
export const showsVirtual: (clause: SelectExpandClause) => boolean = keptPer(
  (clause) =>
    virtualIn(clause).length > 0 ||
    clause.expanded.some(({ form, selectExpand }) => form === "entities" && showsVirtual(selectExpand)),
);

/** Returns the selected properties of one level that entities have. */
export const storedIn: (clause: Pick<SelectExpandClause, "selected">) => readonly SelectedProperty[] = keptPer(
  ({ selected }) => {
    const stored = selected.filter(({ property }) => property.virtual?.isMask !== false);
    return stored.length === selected.length ? selected : Object.freeze(stored);
  },
);

/** Returns the fields that the virtual properties and the streams of one level need. */
export const virtualNeeds: (clause: SelectExpandClause) => ReadonlySet<string> = keptPer(
  (clause) => new Set(shownIn(clause).flatMap(({ virtual }) => virtual?.needs ?? [])),
);
