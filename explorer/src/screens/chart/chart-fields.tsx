import type { JSX } from "preact";
import { CheckList } from "../../parts/check-list.tsx";
import { SelectField } from "../../parts/field.tsx";
import { titleOf } from "../../query/apply-text.ts";
import type { ScreenProps } from "../../state/session.ts";
import { withOptions } from "../../state/view.ts";
import { type ChartOffer, MOST_SERIES } from "./chart-choices.ts";
import type { ChartChoice } from "./chart-data.ts";

const KINDS = [
  { value: "bars", label: "Bars" },
  { value: "lines", label: "Lines" },
  { value: "scatter", label: "Scatter" },
];

/** Chooses what a chart shows. The URL of the page has the choices. */
export function ChartFields(
  props: ScreenProps & { readonly offer: ChartOffer; readonly choice: ChartChoice },
): JSX.Element {
  const { session, view, offer, choice } = props;
  const change = (name: string) => (value: string) =>
    session.go(withOptions(view, { [name]: value }), { replace: true });
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
          choices={[
            { value: "rows", label: "Rows as they are" },
            ...offer.totals.map((value) => ({ value, label: titleOf(value, null) })),
          ]}
          onChange={change("total")}
        />
      )}
      {offered.length === 0 ? null : (
        <CheckList
          label="Values"
          names={offered}
          chosen={choice.y}
          least={1}
          most={MOST_SERIES}
          onChange={(chosen) => change("y")(chosen.join(","))}
        />
      )}
    </div>
  );
}
