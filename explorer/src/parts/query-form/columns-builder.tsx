import type { JSX } from "preact";
import type { Model, Navigation, SetAbilities } from "../../model/model.ts";
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
import { OptionEditor, type OptionText, Section } from "./option-editor.tsx";
import { OrderBuilder } from "./order-builder.tsx";

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

/** The options that are edited as a line of text. */
const LINES = [
  ["Search", "$search", "canSearch", ""],
  ["Further columns", "$compute", "canCompute", "Price mul 2 as Double"],
  ["At most", "$top", "canTop", "100"],
  ["Without the first", "$skip", "canSkip", "0"],
] as const;
const NOT_NESTED: ReadonlySet<string> = new Set(["$search", "$compute", "$apply"]);

/** Edits the options of a query, or those of a navigation that it expands: each as the set permits it. */
export function QueryOptions(
  props: OptionsProps & { readonly place: { readonly isCollection: boolean }; readonly isNested?: boolean },
): JSX.Element {
  const { place, options, isNested = false } = props;
  const can: Partial<SetAbilities> = place.set?.abilities ?? {};
  const isOfRows = place.isCollection;
  const [filter, order, apply] = [optionOf(props, "$filter"), optionOf(props, "$orderby"), optionOf(props, "$apply")];
  const sections = [
    ["Filter", filter.text, isOfRows && can.canFilter !== false, <FilterBuilder place={place} {...filter} />],
    ["Order", order.text, isOfRows && can.canSort !== false, <OrderBuilder paths={sortPaths(place)} {...order} />],
    [
      "Groups and totals",
      apply.text,
      isOfRows && !isNested && can.canApply === true,
      <ApplyBuilder {...{ place }} {...apply} />,
    ],
    [
      "Columns",
      ["$select", "$expand"].flatMap((name) => options.get(name) ?? []).join("; "),
      true,
      <ColumnsBuilder {...props} />,
    ],
  ] as const;
  const count = optionOf(props, "$count");
  return (
    <>
      {sections.map(([title, text, isShown, form]) =>
        isShown ? (
          <Section key={title} title={title} text={text}>
            {form}
          </Section>
        ) : null,
      )}
      {isOfRows ? (
        <div class="row query-numbers">
          {LINES.map(([label, name, ability, placeholder]) => {
            const { text: value, onChange: onInput } = optionOf(props, name);
            const isShown = can[ability] !== false && !(isNested && NOT_NESTED.has(name));
            return isShown ? <TextField key={name} {...{ label, placeholder, value, onInput }} /> : null;
          })}
          {can.canCount === false ? null : (
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
