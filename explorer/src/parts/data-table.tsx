import type { ComponentChildren, JSX } from "preact";
import { copyExact } from "./copy-exact.ts";
import { Sliced } from "./sliced.tsx";

/** Shows rows of values in a box that scrolls. */
export function DataTable(props: {
  readonly label: string;
  readonly columns: readonly string[];
  /** What follows the title of a column, by its place. */
  readonly marks?: readonly ComponentChildren[];
  /** The columns of numbers. */
  readonly numbers?: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}): JSX.Element {
  const classes = props.columns.map((title) => (props.numbers?.includes(title) === true ? "number" : undefined));
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={props.label} onCopy={(event) => copyExact(event)}>
      <table class="table">
        <thead>
          <tr>
            {props.columns.map((title, at) => (
              <th key={at} scope="col" class={classes[at]}>
                {title}
                {props.marks?.[at]}
              </th>
            ))}
          </tr>
        </thead>
        <Sliced as="tbody">
          {props.rows.map((cells, index) => (
            <tr key={index}>
              {cells.map((cell, at) => (
                <td key={at} class={classes[at]} dir="auto">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </Sliced>
      </table>
    </div>
  );
}
