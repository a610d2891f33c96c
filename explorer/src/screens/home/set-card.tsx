import type { ComponentChildren, JSX } from "preact";
import type { RowEstimate } from "../../client/about.ts";
import { showValue } from "../../format/show-value.ts";
import type { EntitySet } from "../../model/model.ts";
import { hrefOf, viewOf } from "../../state/view.ts";

/** Shows a name that is a link, with what a reader wants to know of it. */
export function Card(props: {
  readonly href: string;
  readonly name: string;
  readonly fact: string | null;
  readonly text: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <li class="card">
      <div class="card-head">
        <a href={props.href}>{props.name}</a>
        {props.fact === null ? null : <span class="card-count">{props.fact}</span>}
      </div>
      <p dir="auto">{props.text}</p>
      {props.children}
    </li>
  );
}

/** Shows a set: what it is, how many rows it has, and what it leads to. */
export function SetCard(props: { readonly set: EntitySet; readonly rows: RowEstimate | null }): JSX.Element {
  const { name, description, type, abilities } = props.set;
  const isWritable = abilities.canCreate || abilities.canUpdate || abilities.canDelete;
  const facts = [
    countText(type.properties.size, "property", "properties"),
    ...(type.navigations.size === 0 ? [] : [countText(type.navigations.size, "relation", "relations")]),
    ...(isWritable ? ["writable"] : []),
  ];
  return (
    <Card
      href={hrefOf(viewOf("grid", name))}
      name={name}
      fact={props.rows === null ? null : rowsText(props.rows)}
      text={description ?? memberText(props.set)}
    >
      <div class="card-facts">
        {facts.map((fact) => (
          <span key={fact} class="tag">
            {fact}
          </span>
        ))}
      </div>
    </Card>
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
