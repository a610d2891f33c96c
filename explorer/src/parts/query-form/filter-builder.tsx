import type { JSX } from "preact";
import {
  condition,
  type FilterCondition,
  type FilterGroup,
  type FilterNode,
  NO_FILTER,
  readFilter,
  writeFilter,
} from "../../query/filter-tree.ts";
import { operatorFor, operatorsFor } from "../../query/operators.ts";
import { Button } from "../button.tsx";
import { CheckField, TextField } from "../field.tsx";
import { Pick, Remove } from "../pick.tsx";
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
  const setItems = (items: readonly FilterNode[]): void => onChange({ ...node, items });
  const add = (item: FilterNode) => () => setItems([...node.items, item]);
  const [first] = paths;
  const start = first === undefined ? TEXT : startOf(first);
  return (
    <div class="filter-group" role="group" aria-label="Conditions">
      {node.items.length < 2 && onRemove === undefined ? null : <Head {...{ node, onChange, onRemove }} />}
      {node.items.map((item, index) => (
        <Item
          key={index}
          node={item}
          paths={paths}
          onChange={(next) => setItems(node.items.with(index, next))}
          onRemove={() => setItems(node.items.toSpliced(index, 1))}
        />
      ))}
      <div class="row">
        <Button icon="add" onClick={add(start)}>
          Condition
        </Button>
        <Button icon="add" kind="quiet" onClick={add({ ...NO_FILTER, operator: "or", items: [start] })}>
          Group
        </Button>
      </div>
    </div>
  );
}

function Head({
  node,
  onChange,
  onRemove,
}: Omit<NodeProps<FilterGroup>, "paths"> & { onRemove: (() => void) | undefined }): JSX.Element {
  return (
    <div class="row">
      <Pick
        label="Of these conditions"
        value={node.operator}
        choices={OPERATORS}
        onPick={(operator) => onChange({ ...node, operator: operator === "or" ? "or" : "and" })}
      />
      <CheckField label="not" checked={node.isNegated} onChange={(isNegated) => onChange({ ...node, isNegated })} />
      {onRemove === undefined ? null : <Remove what="the group" onRemove={onRemove} />}
    </div>
  );
}

const TEXT: FilterNode = Object.freeze({ kind: "text", text: "" });
const OPERATORS = [
  ["and", "All of these"],
  ["or", "Any of these"],
] as const;
const QUANTIFIERS = [
  ["any", "at least one"],
  ["none", "none"],
  ["all", "each"],
] as const;

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
          onInput={(text) => onChange({ kind: "text", text })}
        />
        <Remove what="the condition" onRemove={onRemove} />
      </div>
    );
  }
  return (
    <div class="filter-row">
      <Pick
        label="Property"
        value={node.path}
        choices={paths.map((each) => each.path)}
        onPick={(chosen) => {
          const next = paths.find((each) => each.path === chosen);
          if (next !== undefined) onChange(startOf(next));
        }}
      />
      {node.kind === "lambda" ? (
        <LambdaFields node={node} paths={path.items} onChange={onChange} />
      ) : (
        <ConditionFields key={node.path} node={node} property={path.property} onChange={onChange} />
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

function LambdaFields(props: NodeProps<Extract<FilterNode, { kind: "lambda" }>>): JSX.Element {
  const { node, paths, onChange } = props;
  const chosen = paths.find(({ path }) => path === node.condition?.path);
  const setCondition = (inner: FilterCondition | null): void => onChange({ ...node, condition: inner });
  return (
    <>
      <Pick
        label="How many"
        value={node.quantifier === "any" && node.isNegated ? "none" : node.quantifier}
        choices={QUANTIFIERS}
        onPick={(value) =>
          onChange({ ...node, quantifier: value === "all" ? "all" : "any", isNegated: value === "none" })
        }
      />
      <Pick
        label="Property of the item"
        value={chosen === undefined ? "none" : `.${chosen.path}`}
        choices={[["none", "at all"], ...paths.map(({ path }) => [`.${path}`, path || "the value"] as const)]}
        onPick={(value) => {
          const path = paths.find((each) => `.${each.path}` === value);
          const start = path === undefined ? null : startOf(path);
          setCondition(start?.kind === "condition" ? start : null);
        }}
      />
      {node.condition === null || chosen === undefined ? null : (
        <ConditionFields key={chosen.path} node={node.condition} property={chosen.property} onChange={setCondition} />
      )}
    </>
  );
}
