import type { JSX } from "preact";
import type { Model } from "../../model/model.ts";
import { CheckField, TextField } from "../../parts/field.tsx";
import { expandNode, type ExpandNode } from "../../query/expand-tree.ts";
import { CheckList } from "./check-list.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { type QueryPlace, sortPaths } from "./filter-paths.ts";
import { OrderBuilder } from "./order-builder.tsx";
import { Section } from "./section.tsx";

interface ExpandProps {
  readonly model: Model;
  readonly place: QueryPlace;
  readonly nodes: readonly ExpandNode[];
  readonly onChange: (nodes: readonly ExpandNode[]) => void;
}

/** Edits which related entities are read, too, and their options, as a tree. */
export function ExpandBuilder({ model, place, nodes, onChange }: ExpandProps): JSX.Element {
  const { navigations } = place.type;
  const offered = [...navigations.keys()].filter((name) => place.set?.abilities.expandable(name) ?? true);
  const names = [...new Set([...offered, ...nodes.map(({ path }) => path)])];
  return (
    <ul class="query-rows">
      {names.map((name) => {
        const index = nodes.findIndex(({ path }) => path === name);
        const node = nodes[index];
        const navigation = navigations.get(name);
        const target =
          navigation === undefined
            ? null
            : {
                type: navigation.target,
                set: model.sets.get(place.set?.bindings.get(name) ?? "") ?? null,
                isCollection: navigation.isCollection,
              };
        return (
          <li key={name} class="query-rows">
            <CheckField
              label={[name, node?.suffix ?? []].flat().join("/")}
              checked={node !== undefined}
              onChange={(isChosen) => {
                onChange(isChosen ? [...nodes, expandNode(name)] : nodes.toSpliced(index, 1));
              }}
            />
            {node === undefined || target === null || node.suffix !== null ? null : (
              <NestedOptions
                {...{ model, node, target }}
                onChange={(next) => {
                  onChange(nodes.with(index, next));
                }}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function NestedOptions(props: {
  readonly model: Model;
  readonly node: ExpandNode;
  readonly target: QueryPlace & { readonly isCollection: boolean };
  readonly onChange: (node: ExpandNode) => void;
}): JSX.Element {
  const { model, node, target, onChange } = props;
  const textOf = (name: string): string => node.options.get(name) ?? "";
  const set = (name: string) => (text: string) => {
    const options = new Map(node.options);
    if (text === "") options.delete(name);
    else options.set(name, text);
    onChange({ ...node, options });
  };
  return (
    <div class="filter-group">
      <Section title="Properties" text={node.select.join(", ")}>
        <CheckList
          label="All, or only"
          names={[...target.type.properties.keys()]}
          chosen={node.select}
          onChange={(select) => {
            onChange({ ...node, select });
          }}
        />
      </Section>
      {target.isCollection ? (
        <>
          <Section title="Filter" text={textOf("$filter")}>
            <FilterBuilder place={target} text={textOf("$filter")} onChange={set("$filter")} />
          </Section>
          <Section title="Order" text={textOf("$orderby")}>
            <OrderBuilder paths={sortPaths(target)} text={textOf("$orderby")} onChange={set("$orderby")} />
          </Section>
          <TextField label="At most" inputMode="numeric" value={textOf("$top")} onInput={set("$top")} />
        </>
      ) : null}
      {target.type.navigations.size === 0 ? null : (
        <Section title="Further related entities" text={node.expand.map(({ path }) => path).join(", ")}>
          <ExpandBuilder
            model={model}
            place={target}
            nodes={node.expand}
            onChange={(expand) => {
              onChange({ ...node, expand });
            }}
          />
        </Section>
      )}
    </div>
  );
}
