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
import { CheckList } from "../check-list.tsx";
import { CheckField, TextField } from "../field.tsx";
import { ApplyBuilder } from "./apply-builder.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { type QueryPlace, sortPaths } from "./filter-paths.ts";
import { OptionEditor, type OptionText } from "./option-editor.tsx";
import { OrderBuilder } from "./order-builder.tsx";
import { Section } from "./section.tsx";

interface OptionsProps {
  readonly model: Model;
  readonly place: QueryPlace;
  readonly options: ReadonlyMap<string, string>;
  readonly onChange: (options: ReadonlyMap<string, string>) => void;
}

/** Edits what is read of each entity: its properties, and related entities with options of their own. */
export function ColumnsBuilder(
  props: OptionsProps & {
    /** Makes the node of a navigation that is added; without it, all of its properties are read. */
    readonly expandOf?: (navigation: Navigation) => ExpandNode;
  },
): JSX.Element {
  const { place, options, expandOf = ({ name }) => expandNode(name) } = props;
  const { navigations, properties } = place.type;
  const abilities = place.set?.abilities;
  const computed = (options.get("$compute") ?? "").matchAll(/\sas\s+([\p{L}_][\p{L}\p{N}_]*)/gu);
  const names = [...properties.keys(), ...Array.from(computed, ([, name = ""]) => name)];
  const added = (path: string): ExpandNode => {
    const navigation = navigations.get(path);
    return navigation === undefined ? expandNode(path) : expandOf(navigation);
  };
  return (
    <div class="query-rows">
      {abilities?.canSelect === false ? null : (
        <OptionEditor label="Properties" read={readSelect} write={writeSelect} {...optionOf(props, "$select")}>
          {(paths, change) => (
            <CheckList label="All properties, or only" names={names} chosen={paths} onChange={change} />
          )}
        </OptionEditor>
      )}
      {navigations.size === 0 || abilities?.canExpand === false ? null : (
        <OptionEditor label="Relations" read={readExpand} write={writeExpand} {...optionOf(props, "$expand")}>
          {(nodes, change) => (
            <>
              <CheckList
                label="Related entities"
                names={[...navigations.keys()].filter((name) => abilities?.expandable(name) ?? true)}
                chosen={nodes.map(({ path }) => path)}
                onChange={(paths) =>
                  change(paths.map((path) => nodes.find((node) => node.path === path) ?? added(path)))
                }
              />
              {nodes.map((node, at) => (
                <Expanded key={node.path} {...props} node={node} onNode={(next) => change(nodes.with(at, next))} />
              ))}
            </>
          )}
        </OptionEditor>
      )}
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
    <Section title={`Of ${node.path}`} text={Array.from(options, (option) => option.join("=")).join("; ")}>
      <QueryOptions
        isNested
        {...{ model, options, place: { type, isCollection, set } }}
        onChange={(next) => onNode(nodeOf(node.path, next) ?? node)}
      />
    </Section>
  );
}

function optionOf({ options, onChange }: OptionsProps, name: string): OptionText {
  return {
    text: options.get(name) ?? "",
    onChange: (text) => {
      const next = new Map(options).set(name, text);
      if (text === "") next.delete(name);
      onChange(next);
    },
  };
}

/** Edits the options of a query, or those of a navigation that it expands: each as the set permits it. */
export function QueryOptions(
  props: OptionsProps & { readonly place: { readonly isCollection: boolean }; readonly isNested?: boolean },
): JSX.Element {
  const { place, options } = props;
  const can = place.set?.abilities;
  const isWhole = props.isNested !== true;
  const ofRows = place.isCollection;
  const section = (title: string, name: string, isShown: boolean, form: (option: OptionText) => JSX.Element) =>
    isShown ? (
      <Section title={title} text={options.get(name) ?? ""}>
        {form(optionOf(props, name))}
      </Section>
    ) : null;
  const field = (label: string, name: string, isShown: boolean) =>
    isShown ? <TextField label={label} {...fieldOf(optionOf(props, name))} /> : null;
  const count = optionOf(props, "$count");
  return (
    <>
      {section("Filter", "$filter", ofRows && can?.canFilter !== false, (option) => (
        <FilterBuilder place={place} {...option} />
      ))}
      {section("Order", "$orderby", ofRows && can?.canSort !== false, (option) => (
        <OrderBuilder paths={sortPaths(place)} {...option} />
      ))}
      {section("Groups and totals", "$apply", ofRows && isWhole && can?.canApply === true, (option) => (
        <ApplyBuilder place={place} {...option} />
      ))}
      <Section title="Columns" text={[options.get("$select") ?? [], options.get("$expand") ?? []].flat().join("; ")}>
        <ColumnsBuilder {...props} />
      </Section>
      {section("Further columns", "$compute", isWhole && can?.canCompute === true, (option) => (
        <TextField label="Such as Price mul 2 as Double" isCode isLong {...fieldOf(option)} />
      ))}
      {ofRows ? (
        <div class="row query-numbers">
          {field("Search", "$search", isWhole && can?.canSearch !== false)}
          {field("At most", "$top", can?.canTop !== false)}
          {field("Without the first", "$skip", can?.canSkip !== false)}
          {can?.canCount === false ? null : (
            <CheckField
              label="Count all"
              checked={count.text === "true"}
              onChange={(counts) => count.onChange(counts ? "true" : "")}
            />
          )}
        </div>
      ) : null}
    </>
  );
}

function fieldOf({ text, onChange }: OptionText): { readonly value: string; readonly onInput: OptionText["onChange"] } {
  return { value: text, onInput: onChange };
}
