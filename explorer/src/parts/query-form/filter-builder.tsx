import type { JSX } from "preact";
import type { Property, PropertyType } from "../../model/model.ts";
import {
  conditionsOf,
  type FilterCondition,
  type FilterGroup,
  type FilterLambda,
  type FilterNode,
  NO_FILTER,
  readFilter,
  writeFilter,
} from "../../query/filter-tree.ts";
import { literalText, readTyped, type TypedLiteral } from "../../query/literals.ts";
import { conditionOf, type Operator, operatorFor, operatorsFor } from "../../query/operators.ts";
import { CheckField, TextField } from "../field.tsx";
import { ValueField } from "../value-field.tsx";
import { type FilterPath, filterPaths, type QueryPlace } from "./filter-paths.ts";
import { ListEditor, OptionEditor, type OptionText, Pick } from "./option-editor.tsx";

/** Edits a filter as groups of conditions. Other expressions stay text. */
export function FilterBuilder(
  props: OptionText & {
    readonly place: QueryPlace;
    /** The property of a condition that the builder begins, if there is none yet. */
    readonly begun?: string | undefined;
  },
): JSX.Element {
  const { place, begun, ...option } = props;
  const paths = filterPaths(place);
  const begin = (tree: FilterGroup): FilterGroup => {
    const start = paths.find(({ name }) => name === begun);
    const items = conditionsOf(option.text);
    const isThere = items.some((each) => each.kind === "condition" && each.path === begun);
    return start === undefined || isThere ? tree : { ...NO_FILTER, items: [...items, startOf(start)] };
  };
  return (
    <OptionEditor label="Filter" read={readFilter} write={writeFilter} {...{ begin }} {...option}>
      {(tree, change) => <Group node={tree} paths={paths} onChange={change} />}
    </OptionEditor>
  );
}

interface NodeProps<Node> {
  readonly node: Node;
  readonly paths: readonly FilterPath[];
  readonly onChange: (node: Node) => void;
}

type Choices<Choice> = readonly (readonly [text: string, choice: Choice])[];

const GROUPS: Choices<Pick<FilterGroup, "operator" | "isNegated">> = [
  ["All of these", { operator: "and", isNegated: false }],
  ["Any of these", { operator: "or", isNegated: false }],
  ["Not all of these", { operator: "and", isNegated: true }],
  ["None of these", { operator: "or", isNegated: true }],
];
const QUANTIFIERS: Choices<Pick<FilterLambda, "quantifier" | "isNegated">> = [
  ["at least one", { quantifier: "any", isNegated: false }],
  ["none", { quantifier: "any", isNegated: true }],
  ["each", { quantifier: "all", isNegated: false }],
  ["not each", { quantifier: "all", isNegated: true }],
];

function Group({ node, paths, onChange }: NodeProps<FilterGroup>): JSX.Element {
  const { items, operator, isNegated } = node;
  const [text = ""] = GROUPS.find(([, each]) => each.operator === operator && each.isNegated === isNegated) ?? [];
  const pick = (chosen: Partial<FilterGroup>): void => onChange({ ...node, ...chosen });
  const start = startOf(paths[0]);
  return (
    <div class="filter-group" role="group" aria-label="Conditions">
      {items.length < 2 && !isNegated ? null : <Pick label="Which" value={text} choices={GROUPS} onPick={pick} />}
      <ListEditor
        what="condition"
        items={items}
        row={(item, change) => <Item node={item} paths={paths} onChange={change} />}
        added={[
          ["Condition", start],
          ["Group", { ...NO_FILTER, operator: "or", items: [start] }],
        ]}
        onChange={(next) => onChange({ ...node, items: next })}
      />
    </div>
  );
}

/** The unfinished condition of a path. */
function startOf(start: FilterPath | undefined): FilterNode {
  const [operator] = start === undefined ? [] : operatorsFor(start.property);
  if (start === undefined || operator === undefined) return { kind: "text", text: "" };
  const condition = conditionOf(start.path, operator, []);
  if (start.collection === null) return condition;
  return { kind: "lambda", path: start.collection, quantifier: "any", isNegated: false, condition };
}

function Item({ node, paths, onChange }: NodeProps<FilterNode>): JSX.Element {
  if (node.kind === "group") return <Group {...{ node, paths, onChange }} />;
  const lambda = node.kind === "lambda" ? node : null;
  const condition = node.kind === "condition" ? node : (lambda?.condition ?? null);
  const path = paths.find((each) => each.collection === (lambda?.path ?? null) && each.path === condition?.path);
  const operator = condition && path ? operatorFor(condition, operatorsFor(path.property)) : null;
  if (condition === null || path === undefined || operator === null) {
    const text = node.kind === "text" ? node.text : writeFilter({ ...NO_FILTER, items: [node] });
    const change = (next: string): void => onChange({ kind: "text", text: next });
    return <TextField label="Condition as text" isLabelHidden isCode value={text} onInput={change} />;
  }
  const choices = paths.map((each) => [each.name, startOf(each)] as const);
  const change = (next: FilterCondition): void => onChange(lambda === null ? next : { ...lambda, condition: next });
  return (
    <>
      <Pick label="Property" value={path.name} {...{ choices }} onPick={onChange} />
      {lambda === null ? null : <Quantifier node={lambda} onChange={onChange} />}
      <ConditionFields node={condition} property={path.property} operator={operator} onChange={change} />
    </>
  );
}

function Quantifier({ node, onChange }: Omit<NodeProps<FilterLambda>, "paths">): JSX.Element {
  const { quantifier, isNegated } = node;
  const [text = ""] =
    QUANTIFIERS.find(([, each]) => each.quantifier === quantifier && each.isNegated === isNegated) ?? [];
  const pick = (chosen: Partial<FilterLambda>): void => onChange({ ...node, ...chosen });
  return <Pick label="How many" value={text} choices={QUANTIFIERS} onPick={pick} />;
}

/** As long as the typed text is missing or wrong, the condition has no values. */
interface TypedCondition extends FilterCondition {
  readonly typed?: string | null;
}

const LINES = { type: { kind: "primitive", name: "Edm.String" }, isCollection: false, isMultiLine: true } as const;

/** Edits the operator and the value of a condition, which fit the type of its property. */
function ConditionFields(props: {
  readonly node: TypedCondition;
  readonly property: Property;
  readonly operator: Operator;
  readonly onChange: (node: TypedCondition) => void;
}): JSX.Element {
  const { node, property, operator, onChange } = props;
  const { type } = property;
  const { values } = operator;
  const stated = values === "none" || node.values.length === 0 ? null : node.values.map(literalText).join("\n");
  const typed = node.typed ?? stated;
  const change = (next: Operator, text: string | null, isLowered = node.isLowered): void => {
    const literals = readValues(text, next, type).flatMap(({ literal }) => literal ?? []);
    const isWhole = literals.length === readValues(text, next, type).length;
    onChange({ ...conditionOf(node.path, next, isWhole ? literals : [], isLowered), typed: text });
  };
  const read = readValues(typed, operator, type);
  const faults = read.length === 0 ? ["A value is missing."] : read.map(({ message }) => message);
  const isText = values !== "none" && type.kind === "primitive" && type.name === "Edm.String";
  return (
    <>
      <Pick
        label="Operator"
        value={operator.label}
        choices={operatorsFor(property).map((each) => [each.label, each])}
        onPick={(next) => change(next, next.values === "one" && node.values.length > 1 ? null : typed)}
      />
      {values === "none" ? null : (
        <ValueField
          label={values === "many" ? "Values" : "Value"}
          hint={values === "many" ? "One on each line" : null}
          isLabelHidden
          shape={values === "many" ? LINES : { type, isCollection: false }}
          typed={typed}
          isNullable={false}
          error={faults.find((message) => message !== null)}
          onChange={(text) => change(operator, text)}
        />
      )}
      {isText ? (
        <CheckField label="any case" checked={node.isLowered} onChange={(next) => change(operator, typed, next)} />
      ) : null}
    </>
  );
}

/** Reads the typed text of an operator: one value, or one on each line; none if nothing was typed. */
function readValues(typed: string | null, { values }: Operator, type: PropertyType): readonly TypedLiteral[] {
  if (typed === null) return [];
  const lines = values === "many" ? typed.split("\n").filter((line) => line !== "") : [typed];
  return lines.map((line) => readTyped(line, type));
}
