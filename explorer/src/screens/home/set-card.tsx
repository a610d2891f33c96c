import type { JSX } from "preact";
import type { RowEstimate } from "../../client/about.ts";
import { showValue } from "../../format/show-value.ts";
import type { EntitySet } from "../../model/model.ts";
import { hrefOf, viewOf } from "../../state/view.ts";

/** Shows a set: what it is, how many rows it has, and what it leads to. */
export function SetCard(props: { readonly set: EntitySet; readonly rows: RowEstimate | null }): JSX.Element {
  const { name, description, type, abilities } = props.set;
  return (
    <li class="card">
      <div class="card-head">
        <a href={hrefOf(viewOf("grid", name))}>{name}</a>
        {props.rows === null ? null : <span class="card-count">{rowsText(props.rows)}</span>}
      </div>
      <p dir="auto">{description ?? memberText(props.set)}</p>
      <div class="card-facts">
        <span class="tag">{countText(type.properties.size, "property", "properties")}</span>
        {type.navigations.size === 0 ? null : (
          <span class="tag">{countText(type.navigations.size, "relation", "relations")}</span>
        )}
        {abilities.canCreate || abilities.canUpdate || abilities.canDelete ? <span class="tag">writable</span> : null}
      </div>
    </li>
  );
}

function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function rowsText({ count, kind }: RowEstimate): string {
  const about = { exact: "", estimate: "about ", least: "more than " };
  return `${about[kind]}${showValue(count, null).text} ${count === 1 ? "row" : "rows"}`;
}

const MOST_NAMES = 5;

/** Without a description, the first properties say what a set holds. */
function memberText({ type }: EntitySet): string {
  const names = [...type.properties.keys()];
  return names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? " …" : "");
}
