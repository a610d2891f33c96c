import type { JoinPair, LinkColumn, LinkJoin } from "../../edm/model.ts";
import { tableNameText } from "../../edm/table-name.ts";
import { planOf, type PlansByField } from "../columns/table-columns.ts";
import type { ExpectedPlacement } from "../introspect/expected-table.ts";
import type { SqlForm } from "../statement/sql-form.ts";

/** Rows of a statement, and where they are. */
export interface PlacedRows {
  readonly rows: { readonly plans: PlansByField };
  readonly placement: Placement;
}

/** Whether a column of a link table has cells that are equal in their type to those of the property. */
export type IsBare = (column: LinkColumn) => boolean;

/** Where the rows of a table are: what a statement asks before it relates or locks rows. */
export interface Placement {
  /**
   * The property whose value decides on the machine of a row: a statement that names the value asks that machine alone. Null if
   * it is not declared, undefined if a statement needs none, because each machine has all rows.
   */
  readonly decidedBy: string | null | undefined;
  /** Whether each machine has all rows. */
  readonly isEverywhere: boolean;
  /** Returns what the catalogue says of the table, if the declarations are right. @param columnOf returns the column of a property */
  inCatalogue(columnOf: (field: string) => string | undefined): ExpectedPlacement | null;
  /** The same for a link table of the rows, with its name of the column. */
  linksInCatalogue(join: LinkJoin): ExpectedPlacement | null;
  /** Where the rows are after a statement has read them first. */
  readonly gathered: Placement;
  /** Whether each machine has the rows that a join along pairs relates to its own rows. */
  joins(pairs: readonly JoinPair[], own: PlacedRows["rows"], target: PlacedRows): boolean;
  /** Returns the pair of such a join by which the database finds the machine; undefined if it needs none. */
  pairOf(pairs: readonly JoinPair[], own: PlacedRows["rows"], target: PlacedRows): JoinPair | undefined;
  /** Whether each machine has the links of its own rows, and finds their related rows. */
  hasLinks(join: LinkJoin, related: Placement, isBare: IsBare): boolean;
  /** Whether each machine has the rows that its own links lead to. */
  isLinked(join: LinkJoin, isBare: IsBare): boolean;
  /** Returns the column of a side of a link table by which the database finds the machine; undefined if it needs none. */
  linkOf(join: LinkJoin, side: readonly LinkColumn[], isBare: IsBare): LinkColumn | undefined;
}

const UNDECLARED: ExpectedPlacement = Object.freeze<ExpectedPlacement>({ kind: "unknown" });

/** Tables are compared with those of sets whose rows have a place. */
function everywhereOnly({ placement }: LinkJoin): ExpectedPlacement {
  return placement?.kind === "reference" ? { kind: "reference" } : UNDECLARED;
}

/** All rows of the database are on one machine. */
export const TOGETHER: Placement = Object.freeze<Placement>({
  decidedBy: undefined,
  isEverywhere: true,
  get gathered() {
    return this;
  },
  inCatalogue: () => null,
  linksInCatalogue: () => null,
  joins: () => true,
  pairOf: () => undefined,
  hasLinks: () => true,
  isLinked: () => true,
  linkOf: () => undefined,
});

/** The rows are on several machines, and which has one is unknown. */
export const ANYWHERE: Placement = Object.freeze<Placement>({
  decidedBy: null,
  isEverywhere: false,
  get gathered() {
    return this;
  },
  inCatalogue: () => UNDECLARED,
  linksInCatalogue: everywhereOnly,
  joins: () => false,
  pairOf: () => undefined,
  hasLinks: () => false,
  isLinked: () => false,
  linkOf: () => undefined,
});

/** Each of several machines has all rows, so rows of one machine that are found from there would be found by all. */
export const EVERYWHERE: Placement = Object.freeze<Placement>({
  decidedBy: undefined,
  isEverywhere: true,
  gathered: ANYWHERE,
  inCatalogue: () => ({ kind: "reference" }),
  linksInCatalogue: everywhereOnly,
  joins: (_pairs, _own, target) => target.placement.isEverywhere,
  pairOf: () => undefined,
  hasLinks: ({ placement }, related) => placement?.kind === "reference" && related.isEverywhere,
  isLinked: ({ placement }) => placement !== undefined,
  linkOf: () => undefined,
});

/** The value of a property decides on the machine of a row. */
export class PlacedByValue implements Placement {
  readonly decidedBy: string;
  readonly isEverywhere = false;
  readonly gathered: Placement = ANYWHERE;
  readonly #group: string;
  readonly #groupOf: (table: string) => string;

  /**
   * @param field the property
   * @param group tables of the same group have rows with the same value on the same machine
   * @param groupOf returns the group of another table
   */
  constructor(field: string, group: string, groupOf: (table: string) => string) {
    this.decidedBy = field;
    this.#group = group;
    this.#groupOf = groupOf;
  }

  inCatalogue(columnOf: (field: string) => string | undefined): ExpectedPlacement {
    const column = columnOf(this.decidedBy);
    return column === undefined ? UNDECLARED : { kind: "column", column, group: this.#group };
  }

  linksInCatalogue(join: LinkJoin): ExpectedPlacement {
    const { table, placement } = join;
    if (placement?.kind !== "column") return everywhereOnly(join);
    const group = this.#groupOf(tableNameText(placement.with ?? table));
    return { kind: "column", column: placement.column, group };
  }

  joins(pairs: readonly JoinPair[], own: PlacedRows["rows"], target: PlacedRows): boolean {
    return target.placement.isEverywhere || this.pairOf(pairs, own, target) !== undefined;
  }

  pairOf(pairs: readonly JoinPair[], own: PlacedRows["rows"], { rows, placement }: PlacedRows): JoinPair | undefined {
    if (!(placement instanceof PlacedByValue) || placement.#group !== this.#group) return undefined;
    return pairs.find(({ property, related }) => {
      if (property.field !== this.decidedBy || related.field !== placement.decidedBy) return false;
      const form = formOf(property, own);
      return form !== undefined && form === formOf(related, rows) && isBare(form);
    });
  }

  hasLinks(join: LinkJoin, related: Placement, isBareColumn: IsBare): boolean {
    if (join.placement?.kind === "reference") return related.isEverywhere;
    return this.linkOf(join, join.from, isBareColumn) !== undefined;
  }

  isLinked(join: LinkJoin, isBareColumn: IsBare): boolean {
    return this.linkOf(join, join.to, isBareColumn) !== undefined;
  }

  linkOf({ table, placement }: LinkJoin, side: readonly LinkColumn[], isBareColumn: IsBare): LinkColumn | undefined {
    if (placement?.kind !== "column" || this.#groupOf(tableNameText(placement.with ?? table)) !== this.#group) {
      return undefined;
    }
    return side.find(
      (each) => each.column === placement.column && each.property.field === this.decidedBy && isBareColumn(each),
    );
  }
}

function formOf(property: JoinPair["property"], { plans }: PlacedRows["rows"]): SqlForm | undefined {
  const plan = planOf(property, plans);
  return plan.kind === "scalar" ? plan.format.form : undefined;
}

/** Whether equal values have cells that are equal in the type of their column: the database finds the machine by these. */
export function isBare({ indexed, exact, sortable }: SqlForm): boolean {
  return indexed !== undefined || (exact !== null && sortable === undefined);
}
