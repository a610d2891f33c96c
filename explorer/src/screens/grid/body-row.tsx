import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { valueAt } from "../../format/csv.ts";
import { showValue } from "../../format/show-value.ts";
import { labelProperty } from "../../model/label-property.ts";
import { ValueCell } from "../../parts/value-cell.tsx";
import { type Column, type Row, isRight, shownType, typeOf, valueIn } from "./column.ts";
import type { Place, TableProps } from "./table-props.ts";

interface BodyRowProps extends Pick<TableProps, "columns" | "hrefOf"> {
  /** Of the table; those of its cells begin with it. */
  readonly id: string;
  readonly index: number;
  /** Null while it is loading. */
  readonly row: Row | null;
  /** The active cell; null in another row. */
  readonly active: number | null;
  readonly onActivate: (place: Place) => void;
}

/** Shows a row, or its shape while it is loading. */
export function BodyRow(props: BodyRowProps): JSX.Element {
  const { row, index, columns, active } = props;
  // Scrolling renders the table often: a row renders again only if it looks different.
  return useMemo(() => <Cells {...props} />, [row, index, columns, active]);
}

function Cells(props: BodyRowProps): JSX.Element {
  const { row, index, columns } = props;
  return (
    <tr aria-rowindex={index + 2} aria-busy={row === null ? true : undefined}>
      {columns.map((column, at) => (
        <td
          key={column.name}
          id={`${props.id}-${index}-${at}`}
          aria-colindex={at + 1}
          class={`${isRight(column) ? "number" : ""}${props.active === at ? " grid-active" : ""}`}
          onMouseDown={() => props.onActivate({ row: index, column: at })}
        >
          {row === null ? (
            <span class="grid-wait" />
          ) : (
            <Cell column={column} row={row} href={props.hrefOf(row, column, at === 0)} />
          )}
        </td>
      ))}
    </tr>
  );
}

function Cell(props: { readonly column: Column; readonly row: Row; readonly href: string | null }): JSX.Element {
  const { column, row, href } = props;
  const value = column.kind === "many" ? countIn(row, column) : valueIn(row, column);
  const shown = <ValueCell value={value} type={shownType(column)} />;
  const label = labelIn(column, row);
  return (
    <>
      {href === null ? (
        shown
      ) : (
        <a href={href} tabIndex={-1} class="grid-link" aria-label={nameOf(column, value)}>
          {shown}
        </a>
      )}
      {label === null ? null : (
        <span class="grid-label" dir="auto">
          {label}
        </span>
      )}
    </>
  );
}

/** A link needs a name that says more than "null". */
function nameOf(column: Column, value: unknown): string | undefined {
  const { kind, text } = showValue(value, typeOf(column));
  return kind === "null" || kind === "empty" || column.kind === "many" ? `${column.name}: ${text}` : undefined;
}

/** The number of related entities, or of those that the answer contains. */
function countIn(row: Row, { name, path }: Column): unknown {
  const count = valueAt(row, path);
  const related = row[name];
  return count ?? (Array.isArray(related) ? related.length : null);
}

/** Beside a foreign key: the label of the related entity. */
function labelIn({ kind, navigation }: Column, row: Row): string | null {
  const property = kind === "value" && navigation !== null ? labelProperty(navigation.target) : null;
  const label = property === null || navigation === null ? null : valueAt(row, [navigation.name, property.name]);
  return typeof label === "string" ? label : null;
}
