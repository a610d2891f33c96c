import type { JSX } from "preact";
import type { Model } from "../../model/model.ts";
import {
  expandNode,
  nodeOf,
  optionsOf,
  readExpand,
  readSelect,
  writeExpand,
  writeSelect,
} from "../../query/expand-tree.ts";
import { CheckList } from "../check-list.tsx";
import { CheckField, TextField } from "../field.tsx";
import { ApplyBuilder } from "./apply-builder.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { type QueryPlace, sortPaths } from "./filter-paths.ts";
import { OrderBuilder } from "./order-builder.tsx";
import { Section } from "./section.tsx";

interface OptionsProps {
  readonly model: Model;
  readonly place: QueryPlace & { readonly isCollection: boolean };
  /** Whether they stand within `$expand`. */
  readonly isNested?: boolean;
  readonly options: ReadonlyMap<string, string>;
  readonly onChange: (options: ReadonlyMap<string, string>) => void;
}

interface OptionProps extends OptionsProps {
  readonly textOf: (name: string) => string;
  readonly set: (name: string) => (text: string) => void;
}

/** Edits the options of a query, or those of a navigation that it expands: each as the set permits it. */
export function QueryOptions(props: OptionsProps): JSX.Element {
  const { place, options, onChange, isNested } = props;
  const abilities = place.set?.abilities;
  const textOf = (name: string): string => options.get(name) ?? "";
  const set = (name: string) => (text: string) => {
    const next = new Map(options);
    if (text === "") next.delete(name);
    else next.set(name, text);
    onChange(next);
  };
  const own = { ...props, textOf, set };
  return (
    <>
      {place.isCollection ? <CollectionOptions {...own} /> : null}
      <Section title="Properties" text={textOf("$select")}>
        <SelectedProperties {...own} />
      </Section>
      {place.type.navigations.size === 0 || abilities?.canExpand === false ? null : (
        <Section title="Related entities" text={textOf("$expand")}>
          <ExpandedNavigations {...own} />
        </Section>
      )}
      {isNested !== true && abilities?.canCompute === true ? (
        <Section title="Further columns" text={textOf("$compute")}>
          <OptionText name="$compute" {...own} />
          <p class="field-hint">
            Such as <code>Price mul 2 as Double</code>
          </p>
        </Section>
      ) : null}
    </>
  );
}

function CollectionOptions({ place, isNested, textOf, set }: OptionProps): JSX.Element {
  const abilities = place.set?.abilities;
  return (
    <>
      {abilities?.canFilter === false ? null : (
        <Section title="Filter" text={textOf("$filter")}>
          <FilterBuilder place={place} text={textOf("$filter")} onChange={set("$filter")} />
        </Section>
      )}
      {isNested === true || abilities?.canSearch === false ? null : (
        <TextField label="Search" type="search" value={textOf("$search")} onInput={set("$search")} />
      )}
      {abilities?.canSort === false ? null : (
        <Section title="Order" text={textOf("$orderby")}>
          <OrderBuilder paths={sortPaths(place)} text={textOf("$orderby")} onChange={set("$orderby")} />
        </Section>
      )}
      {isNested !== true && abilities?.canApply === true ? (
        <Section title="Groups and totals" text={textOf("$apply")}>
          <ApplyBuilder place={place} text={textOf("$apply")} onChange={set("$apply")} />
        </Section>
      ) : null}
      <div class="row query-numbers">
        {abilities?.canTop === false ? null : (
          <TextField label="At most" inputMode="numeric" value={textOf("$top")} onInput={set("$top")} />
        )}
        {abilities?.canSkip === false ? null : (
          <TextField label="Without the first" inputMode="numeric" value={textOf("$skip")} onInput={set("$skip")} />
        )}
        {abilities?.canCount === false ? null : (
          <CheckField
            label="Count all"
            checked={textOf("$count") === "true"}
            onChange={(counts) => set("$count")(counts ? "true" : "")}
          />
        )}
      </div>
    </>
  );
}

function OptionText({ name, textOf, set }: OptionProps & { readonly name: string }): JSX.Element {
  return <TextField label={`${name} as text`} isLabelHidden isCode isLong value={textOf(name)} onInput={set(name)} />;
}

function SelectedProperties(props: OptionProps): JSX.Element {
  const { place, textOf, set } = props;
  const chosen = readSelect(textOf("$select"));
  if (chosen === null) return <OptionText name="$select" {...props} />;
  const computed = textOf("$compute").matchAll(/\sas\s+([\p{L}_][\p{L}\p{N}_]*)/gu);
  return (
    <CheckList
      label="All, or only"
      names={[...place.type.properties.keys(), ...Array.from(computed, ([, name = ""]) => name)]}
      chosen={chosen}
      onChange={(paths) => set("$select")(writeSelect(paths))}
    />
  );
}

/** Edits which related entities are read, too, and their options, as a tree. */
function ExpandedNavigations(props: OptionProps): JSX.Element {
  const { model, place, textOf, set } = props;
  const nodes = readExpand(textOf("$expand"));
  if (nodes === null) return <OptionText name="$expand" {...props} />;
  const { navigations } = place.type;
  const offered = [...navigations.keys()].filter((name) => place.set?.abilities.expandable(name) ?? true);
  const change = (next: typeof nodes): void => set("$expand")(writeExpand(next));
  return (
    <ul class="query-rows">
      {[...new Set([...offered, ...nodes.map(({ path }) => path)])].map((name) => {
        const index = nodes.findIndex(({ path }) => path === name);
        const node = nodes[index];
        const navigation = navigations.get(name);
        const target = model.sets.get(place.set?.bindings.get(name) ?? "") ?? null;
        return (
          <li key={name} class="query-rows">
            <CheckField
              label={[name, node?.suffix ?? []].flat().join("/")}
              checked={node !== undefined}
              onChange={(isChosen) => change(isChosen ? [...nodes, expandNode(name)] : nodes.toSpliced(index, 1))}
            />
            {node === undefined || navigation === undefined || node.suffix !== null ? null : (
              <div class="filter-group">
                <QueryOptions
                  model={model}
                  isNested
                  place={{ type: navigation.target, isCollection: navigation.isCollection, set: target }}
                  options={optionsOf(node)}
                  onChange={(options) => change(nodes.with(index, nodeOf(name, options) ?? node))}
                />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
