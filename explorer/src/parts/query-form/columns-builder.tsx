import type { JSX } from "preact";
import type { Model, Navigation } from "../../model/model.ts";
import {
  type ExpandNode,
  expandNode,
  nodeOf,
  optionsOf,
  readExpand,
  readSelect,
  writeExpand,
  writeSelect,
} from "../../query/expand-tree.ts";
import { CheckField, CheckList, TextField } from "../field.tsx";
import { ApplyBuilder } from "./apply-builder.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { type QueryPlace, sortPaths } from "./filter-paths.ts";
import { OptionEditor, type OptionText, Section } from "./option-editor.tsx";
import { OrderBuilder } from "./order-builder.tsx";

interface OptionsProps {
  readonly model: Model;
  readonly place: QueryPlace;
  readonly options: ReadonlyMap<string, string>;
  readonly onChange: (options: ReadonlyMap<string, string>) => void;
}

function optionOf({ options, onChange }: OptionsProps, name: string): OptionText {
  const change = (text: string): void => {
    const next = new Map(options).set(name, text);
    if (text === "") next.delete(name);
    onChange(next);
  };
  return { text: options.get(name) ?? "", onChange: change };
}

/**
 * Edits the columns of each entity: its properties, and related entities with their own options. `expandOf` makes the node of a
 * navigation that is added; without it, all of its properties are read.
 */
export function ColumnsBuilder(
  props: OptionsProps & Readonly<{ expandOf?: (navigation: Navigation) => ExpandNode }>,
): JSX.Element {
  const { expandOf = ({ name }) => expandNode(name) } = props;
  const { type, set } = props.place;
  const canExpand = (name: string): boolean =>
    set === null || (set.abilities.canExpand && set.abilities.expandable(name));
  const offered = [...type.navigations.values()].filter(({ name }) => canExpand(name));
  return (
    <div class="query-rows">
      <OptionEditor label="Properties" read={readSelect} write={writeSelect} {...optionOf(props, "$select")}>
        {(paths, change) => (
          <CheckList label="All, or only" names={[...type.properties.keys()]} chosen={paths} onChange={change} />
        )}
      </OptionEditor>
      <OptionEditor label="Relations" read={readExpand} write={writeExpand} {...optionOf(props, "$expand")}>
        {(nodes, change) => {
          const known = new Map([...offered.map(expandOf), ...nodes].map((node) => [node.path, node]));
          return (
            <>
              <CheckList
                label="Relations"
                names={offered.map(({ name }) => name)}
                chosen={nodes.map(({ path }) => path)}
                onChange={(paths) => change(paths.flatMap((path) => known.get(path) ?? []))}
              />
              {nodes.map((node, at) => (
                <Expanded key={node.path} {...props} node={node} onNode={(next) => change(nodes.with(at, next))} />
              ))}
            </>
          );
        }}
      </OptionEditor>
    </div>
  );
}

function Expanded(
  props: OptionsProps & { readonly node: ExpandNode; readonly onNode: (node: ExpandNode) => void },
): JSX.Element | null {
  const { model, place, node, onNode } = props;
  const navigation = place.type.navigations.get(node.path);
  if (navigation === undefined || node.suffix !== null) return null;
  const { target: type, isCollection } = navigation;
  const set = model.sets.get(place.set?.bindings.get(node.path) ?? "") ?? null;
  const options = optionsOf(node);
  return (
    <Section title={`Of ${node.path}`} text={[...options.values()].join("; ")}>
      <QueryOptions
        isNested
        {...{ model, options, place: { type, isCollection, set } }}
        onChange={(next) => onNode(nodeOf(node.path, next) ?? node)}
      />
    </Section>
  );
}

/** Edits the options of a query, or those of a navigation that it expands: each as the set permits it. */
export function QueryOptions(
  props: OptionsProps & Readonly<{ place: { readonly isCollection: boolean }; isNested?: boolean }>,
): JSX.Element {
  const { place, options, isNested = false } = props;
  const can = place.set?.abilities;
  const isOfRows = place.isCollection;
  const [filter, order, apply] = [optionOf(props, "$filter"), optionOf(props, "$orderby"), optionOf(props, "$apply")];
  const [search, top, count] = [optionOf(props, "$search"), optionOf(props, "$top"), optionOf(props, "$count")];
  const columns = ["$select", "$expand"].flatMap((name) => options.get(name) ?? []).join("; ");
  return (
    <>
      <Section title="Filter" {...filter} isShown={isOfRows && can?.canFilter !== false}>
        <FilterBuilder place={place} {...filter} />
      </Section>
      <Section title="Order" {...order} isShown={isOfRows && can?.canSort !== false}>
        <OrderBuilder paths={sortPaths(place)} {...order} />
      </Section>
      <Section title="Groups and totals" {...apply} isShown={isOfRows && !isNested && can?.canApply === true}>
        <ApplyBuilder model={props.model} place={place} {...apply} />
      </Section>
      <Section title="Columns" text={columns}>
        <ColumnsBuilder {...props} />
      </Section>
      {isOfRows ? (
        <div class="row query-numbers">
          {isNested || can?.canSearch === false ? null : (
            <TextField label="Search" type="search" value={search.text} onInput={search.onChange} />
          )}
          {can?.canTop === false ? null : (
            <TextField label="At most" inputMode="numeric" value={top.text} onInput={top.onChange} />
          )}
          <CheckField
            label="Count all"
            disabled={can?.canCount === false}
            checked={count.text === "true"}
            onChange={(counts) => count.onChange(counts ? "true" : "")}
          />
        </div>
      ) : null}
    </>
  );
}
