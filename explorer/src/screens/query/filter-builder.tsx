import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import {
  condition,
  type FilterCondition,
  type FilterGroup,
  type FilterNode,
  NO_FILTER,
} from "../../query/filter-tree.ts";
import { operatorFor, operatorsFor } from "../../query/operators.ts";
import { readFilter } from "../../query/read-filter.ts";
import { writeFilter } from "../../query/write-filter.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { type FilterPath, filterPaths, type QueryPlace } from "./filter-paths.ts";
import { useEdited } from "./use-edited.ts";

const CODEC = { read: readFilter, write: writeFilter };

/** Edits a filter as groups of conditions. What is no condition stays text. */
export function FilterBuilder(props: {
  readonly place: QueryPlace;
  readonly text: string;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const [tree, change] = useEdited(props.text, CODEC, props.onChange);
  return <Group node={tree} paths={filterPaths(props.place)} onChange={change} />;
}

interface NodeProps<Node> {
  readonly node: Node;
  readonly paths: readonly FilterPath[];
  readonly onChange: (node: Node) => void;
}

function Group({ node, paths, onChange, onRemove }: NodeProps<FilterGroup> & { onRemove?: () => void }): JSX.Element {
  const setItems = (items: readonly FilterNode[]): void => {
    onChange({ ...node, items });
  };
  const isOne = node.items.length < 2 && onRemove === undefined;
  return (
    <div class="filter-group" role="group" aria-label="Conditions">
      {isOne ? null : (
        <div class="row">
          <SelectField
            label="Of these conditions"
            isLabelHidden
            value={node.operator}
            choices={[
              { value: "and", label: "All of these" },
              { value: "or", label: "Any of these" },
            ]}
            onChange={(operator) => {
              onChange({ ...node, operator: operator === "or" ? "or" : "and" });
            }}
          />
          <CheckField
            label="not"
            checked={node.isNegated}
            onChange={(isNegated) => {
              onChange({ ...node, isNegated });
            }}
          />
          {onRemove === undefined ? null : <Remove what="the group" onRemove={onRemove} />}
        </div>
      )}
      {node.items.map((item, index) => (
        <Item
          key={index}
          node={item}
          paths={paths}
          onChange={(next) => {
            setItems(node.items.with(index, next));
          }}
          onRemove={() => {
            setItems(node.items.toSpliced(index, 1));
          }}
        />
      ))}
      <div class="row">
        <Button
          icon="add"
          disabled={paths.length === 0}
          onClick={() => {
            setItems([...node.items, firstCondition(paths)]);
          }}
        >
          Condition
        </Button>
        <Button
          icon="add"
          kind="quiet"
          disabled={paths.length === 0}
          onClick={() => {
            setItems([...node.items, { ...NO_FILTER, operator: "or", items: [firstCondition(paths)] }]);
          }}
        >
          Group
        </Button>
      </div>
    </div>
  );
}

/** A condition without a value, on the first path. */
function firstCondition([first]: readonly FilterPath[]): FilterNode {
  return first === undefined ? { kind: "text", text: "" } : startOf(first);
}

/** The unfinished condition of a path. */
function startOf({ path, property }: FilterPath): FilterNode {
  const [operator] = property === null ? [] : operatorsFor(property);
  if (operator !== undefined) return condition(path, operator.operator, []);
  return { kind: "lambda", path, quantifier: "any", isNegated: false, condition: null };
}

function Item(props: NodeProps<FilterNode> & { readonly onRemove: () => void }): JSX.Element {
  const { node, paths, onChange, onRemove } = props;
  if (node.kind === "group") return <Group node={node} paths={paths} onChange={onChange} onRemove={onRemove} />;
  const path = node.kind === "text" ? undefined : paths.find((each) => each.path === node.path);
  if (node.kind === "text" || path === undefined || !isShown(node, path)) {
    return (
      <div class="filter-row">
        <TextField
          label="Condition as text"
          isLabelHidden
          isCode
          value={node.kind === "text" ? node.text : writeFilter({ ...NO_FILTER, items: [node] })}
          onInput={(text) => {
            onChange({ kind: "text", text });
          }}
        />
        <Remove what="the condition" onRemove={onRemove} />
      </div>
    );
  }
  return (
    <div class="filter-row">
      <SelectField
        label="Property"
        isLabelHidden
        value={node.path}
        choices={paths.map((each) => ({ value: each.path, label: each.path }))}
        onChange={(chosen) => {
          const next = paths.find((each) => each.path === chosen);
          if (next !== undefined) onChange(startOf(next));
        }}
      />
      {node.kind === "lambda" ? (
        <LambdaFields node={node} paths={path.items} onChange={onChange} />
      ) : (
        <ConditionFields node={node} property={path.property} onChange={onChange} />
      )}
      <Remove what={`the condition on ${node.path}`} onRemove={onRemove} />
    </div>
  );
}

function isShown(node: Exclude<FilterNode, FilterGroup>, { property, items }: FilterPath): boolean {
  if (node.kind === "text") return false;
  if (node.kind === "condition") return property !== null && operatorFor(node, operatorsFor(property)) !== null;
  const inner = node.condition;
  if (property !== null || inner === null) return property === null;
  const path = items.find((each) => each.path === inner.path);
  return path !== undefined && isShown(inner, path);
}

const QUANTIFIERS = [
  { value: "any", label: "at least one" },
  { value: "none", label: "none" },
  { value: "all", label: "each" },
];

function LambdaFields(props: NodeProps<Extract<FilterNode, { kind: "lambda" }>>): JSX.Element {
  const { node, paths, onChange } = props;
  const chosen = paths.find(({ path }) => path === node.condition?.path);
  const setCondition = (inner: FilterCondition | null): void => {
    onChange({ ...node, condition: inner });
  };
  return (
    <>
      <SelectField
        label="How many"
        isLabelHidden
        value={node.quantifier === "any" && node.isNegated ? "none" : node.quantifier}
        choices={QUANTIFIERS}
        onChange={(value) => {
          onChange({ ...node, quantifier: value === "all" ? "all" : "any", isNegated: value === "none" });
        }}
      />
      <SelectField
        label="Property of the item"
        isLabelHidden
        value={chosen === undefined ? "none" : `.${chosen.path}`}
        choices={[
          { value: "none", label: "at all" },
          ...paths.map(({ path }) => ({ value: `.${path}`, label: path === "" ? "the value" : path })),
        ]}
        onChange={(value) => {
          const path = paths.find((each) => `.${each.path}` === value);
          const start = path === undefined ? null : startOf(path);
          setCondition(start?.kind === "condition" ? start : null);
        }}
      />
      {node.condition === null || chosen === undefined ? null : (
        <ConditionFields node={node.condition} property={chosen.property} onChange={setCondition} />
      )}
    </>
  );
}

/** Shows a button that takes something away. */
export function Remove({ what, onRemove }: { readonly what: string; readonly onRemove: () => void }): JSX.Element {
  return <Button kind="quiet" icon="close" label={`Remove ${what}`} onClick={onRemove} />;
}
