import type { JSX, TargetedEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Popover } from "../../parts/popover.tsx";
import { ApplyBuilder } from "../../parts/query-form/apply-builder.tsx";
import { ColumnsBuilder } from "../../parts/query-form/columns-builder.tsx";
import { FilterBuilder } from "../../parts/query-form/filter-builder.tsx";
import { sortPaths } from "../../parts/query-form/filter-paths.ts";
import { OrderBuilder } from "../../parts/query-form/order-builder.tsx";
import { conditionsOf, filterOf } from "../../query/filter-tree.ts";
import { limitsOf, stepsOf, withLimits } from "../../query/limits.ts";
import type { QueryPart } from "../../query/query-parts.ts";
import { cellNode } from "./columns.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps } from "./grid-table.tsx";

/** A part of the query that is edited at a control. */
export interface OpenEditor {
  readonly kind: "filter" | "order" | "columns" | "steps";
  readonly anchor: Element;
  /** The only conditions that are edited; absent: all. */
  readonly part?: QueryPart | undefined;
  /** The columns that are shown. */
  readonly select?: string;
}

const TITLES = { filter: "Filter", order: "Order", columns: "Columns", steps: "Groups and totals" } as const;

type Options = ReadonlyMap<string, string>;

/** Shows a form for a part of the query, which changes once the reader presses "Show". */
export function QueryPopover(props: GridProps & OpenEditor & { readonly onClose: () => void }): JSX.Element {
  const { session, view, query, kind, anchor, part, onClose } = props;
  const { place } = query;
  const [options, setOptions] = useState<Options>(() => begin(props));
  const form = useRef<HTMLFormElement>(null);
  const text = (name: string) => ({
    text: options.get(name) ?? "",
    onChange: (next: string) => setOptions(new Map([...options, [name, next]])),
  });
  const show = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    if (wrong) return wrong.focus();
    onClose();
    session.go(changedView(view, end(view.options, options, part)));
  };
  const editors = {
    filter: () => <FilterBuilder place={place} {...text("$filter")} />,
    order: () => <OrderBuilder paths={sortPaths(place)} {...text("$orderby")} />,
    steps: () => <ApplyBuilder place={place} {...text("$apply")} />,
    columns: () => (
      <ColumnsBuilder model={session.model} onChange={setOptions} expandOf={cellNode} {...{ place, options }} />
    ),
  };
  return (
    <Popover title={TITLES[kind]} {...{ anchor, onClose }}>
      <form ref={form} class="stack" onSubmit={show}>
        {editors[kind]()}
        <Button kind="primary" type="submit">
          Show
        </Button>
      </form>
    </Popover>
  );
}

/** Returns the options that the form edits. */
function begin({ view, kind, part, select = "" }: GridProps & OpenEditor): Options {
  const { filter, steps } = limitsOf(view.options);
  const option = (name: string): string => view.options.get(name) ?? "";
  const all: Readonly<Record<typeof kind, Readonly<Record<string, string>>>> = {
    filter: { $filter: part?.text ?? filter },
    order: { $orderby: option("$orderby") },
    columns: { $select: select, $expand: option("$expand") },
    steps: { $apply: steps },
  };
  return new Map(Object.entries(all[kind]));
}

/** Returns the options of the view after the form. */
function end(before: Options, edited: Options, part: QueryPart | undefined): Options {
  const [filter, apply] = [edited.get("$filter"), edited.get("$apply")];
  if (apply !== undefined) {
    const steps = before.has("$apply") && apply !== "" ? [...stepsOf(limitsOf(before)), apply] : [apply];
    return new Map([...before, ["$apply", steps.join("/")]]);
  }
  if (filter === undefined) return new Map([...before, ...edited]);
  const others = part === undefined ? [] : conditionsOf(limitsOf(part.rest).filter);
  const items = [...others, ...conditionsOf(filter)];
  return withLimits(before, { filter: part === undefined ? filter : filterOf(items) });
}
