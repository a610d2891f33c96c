import type { Row } from "../../../language/query/row-shape.ts";
import type { ReadCommand, ReadOptions, ReadRowsResult } from "../../connection/array-reader.ts";

/** Stands for a cell that was not kept. */
const NOT_KEPT = Symbol("not kept");

export type ParseCell = (text: string) => unknown;

/** The part of a client that returns the function which reads the cells of a type. */
interface Types {
  getTypeParser(type: number, format?: "text" | "binary"): ParseCell;
}

type Room = Pick<ReadOptions, "most" | "enough"> & Pick<ReadCommand, "width">;

/** The parsers of a client, which keep no cells once they have had too many characters. */
export class CountingTypes {
  readonly #client: Types;
  readonly #room: Room;
  readonly #full: () => void;
  #left: number;
  /** How many cells of each column have fitted: a column with nulls has fewer. */
  readonly #cells: number[] = [];
  /** The rows so far, if a column ends each: the driver returns none of a connection that ends. */
  readonly #rows: Row[] = [];
  #row: unknown[] | null = null;
  readonly #empty: readonly null[];

  /** @param full called with the first cell that does not fit */
  constructor(client: Types, room: Room, full: () => void) {
    this.#client = client;
    this.#room = room;
    this.#left = room.most;
    this.#full = full;
    this.#empty = Array.from({ length: room.width ?? 0 }, () => null);
  }

  /** Returns the parser of a type. The driver calls it for each column. */
  readonly getTypeParser = (type: number, format?: "text" | "binary"): ParseCell => {
    const parse = this.#client.getTypeParser(type, format);
    const column = this.#cells.push(0) - 1;
    return (text) => {
      const isFirst = this.#left >= 0;
      this.#left -= text.length;
      if (this.#hasEnough()) this.#left = -1;
      if (this.#left >= 0) {
        this.#cells[column] = (this.#cells[column] ?? 0) + 1;
        const cell = parse(text);
        this.#keep(column, cell);
        return cell;
      }
      if (isFirst) this.#full();
      return NOT_KEPT;
    };
  };

  /** Whether the present row does not fit. The first one may have more characters. */
  #hasEnough(): boolean {
    const { most, enough } = this.#room;
    return this.#rows.length > 0 && most - this.#left > enough;
  }

  #keep(column: number, cell: unknown): void {
    const { width } = this.#room;
    if (width === undefined) return;
    this.#row ??= [...this.#empty];
    if (column < width) {
      this.#row[column] = cell;
    } else {
      this.#rows.push(this.#row);
      this.#row = null;
    }
  }

  /** Returns the rows whose cells were all kept. */
  cut(rows: readonly Row[]): ReadRowsResult {
    if (this.#left >= 0) return { rows, isCut: false };
    const seen = Math.max(0, ...this.#cells);
    if (this.#rows.length > 0) return { rows: this.#rows, isCut: true, seen };
    const end = rows.findIndex((row) => row.includes(NOT_KEPT));
    return { rows: rows.slice(0, Math.max(end, 0)), isCut: true, seen };
  }
}
