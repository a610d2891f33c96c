import { sql } from "kysely";
import type { Placement } from "../placement/placement.ts";
import type { Sql } from "../statement/sql-form.ts";
import { Level, Relation } from "./relation.ts";
import { addCell, cellName, type Cells } from "./select-columns.ts";

/** The rows of a relation in a derived table, which selects exactly the columns that are used. */
export class DerivedRelation extends Relation {
  readonly #inner: Relation;
  readonly #cells: Cells;
  readonly #names = new Map<string, Sql>();

  /**
   * @param inner the relation within the derived table
   * @param cells the cells that the derived table selects, to which the used columns are added
   */
  constructor(inner: Relation, alias: string, cells: Cells) {
    const { rows, isOptional } = inner;
    super({ alias, rows, level: new Level(), isOptional, isQualified: true });
    this.#inner = inner;
    this.#cells = cells;
  }

  override get placement(): Placement {
    return this.rows.placement.gathered;
  }

  override column(name: string): Sql {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const cell = sql`${sql.id(this.alias, cellName(addCell(this.#cells, this.#inner.column(name))))}`;
    this.#names.set(name, cell);
    return cell;
  }
}
