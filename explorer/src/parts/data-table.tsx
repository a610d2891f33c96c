import type { ComponentChildren, JSX } from "preact";

/** A column of a table of values. */
export interface DataColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** Shows rows of values in a box that scrolls. */
export function DataTable(props: {
  readonly label: string;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}): JSX.Element {
  const classes = props.columns.map(({ isNumber }) => (isNumber === true ? "number" : undefined));
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={props.label}>
      <table class="table">
        <thead>
          <tr>
            {props.columns.map(({ title }, at) => (
              <th key={at} scope="col" class={classes[at]}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((cells, index) => (
            <tr key={index}>
              {cells.map((cell, at) => (
                <td key={at} class={classes[at]} dir="auto">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
