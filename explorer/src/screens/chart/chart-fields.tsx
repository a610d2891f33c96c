import type { JSX } from "preact";
import { CheckField, SelectField } from "../../parts/field.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { withOptions } from "../../state/view.ts";
import { type ChartOffer, MOST_SERIES } from "./chart-choices.ts";
import type { ChartChoice } from "./chart-data.ts";

const KINDS = [
  { value: "bars", label: "Bars" },
  { value: "lines", label: "Lines" },
  { value: "scatter", label: "Scatter" },
];
const TOTALS = {
  rows: "Rows as they are",
  count: "Number of rows",
  sum: "Sum",
  average: "Average",
  min: "Least value",
  max: "Greatest value",
  countdistinct: "Number of different values",
};

/** Chooses what a chart shows. The URL of the page has the choices. */
export function ChartFields(
  props: ScreenProps & { readonly offer: ChartOffer; readonly choice: ChartChoice },
): JSX.Element {
  const { session, view, offer, choice } = props;
  const change = (name: string) => (value: string) => {
    session.go(withOptions(view, { [name]: value }), { replace: true });
  };
  const offered = choice.total === "count" ? [] : offer.yOf(choice.total);
  return (
    <div class="chart-fields">
      <SelectField label="Kind" value={choice.kind} choices={KINDS} onChange={change("kind")} />
      <SelectField
        label="Horizontal"
        value={choice.x}
        choices={[...offer.xOf(choice.total).keys()].map((path) => ({ value: path, label: path }))}
        onChange={change("x")}
      />
      {offer.totals.length === 0 ? null : (
        <SelectField
          label="Vertical"
          value={choice.total ?? "rows"}
          choices={(["rows", ...offer.totals] as const).map((value) => ({ value, label: TOTALS[value] }))}
          onChange={change("total")}
        />
      )}
      {offered.length === 0 ? null : (
        <fieldset class="chart-series">
          <legend class="field-label">Values</legend>
          {offered.map((path) => (
            <CheckField
              key={path}
              label={path}
              checked={choice.y.includes(path)}
              disabled={choice.y.includes(path) ? choice.y.length === 1 : choice.y.length >= MOST_SERIES}
              onChange={(isChosen) => {
                change("y")((isChosen ? [...choice.y, path] : choice.y.filter((each) => each !== path)).join(","));
              }}
            />
          ))}
        </fieldset>
      )}
    </div>
  );
}
