import type { JSX } from "preact";
import { isText } from "../../format/show-value.ts";
import type { Property, PropertyType } from "../../model/model.ts";
import {
  condition,
  type FilterCondition,
  type FilterGroup,
  type FilterNode,
  filterOf,
  NO_FILTER,
  readFilter,
  writeFilter,
} from "../../query/filter-tree.ts";
import { nameOf } from "../../query/filter-words.ts";
import { literalText, readTyped, type TypedLiteral } from "../../query/literals.ts";
import { conditionOf, type Operator, operatorFor, operatorsFor } from "../../query/operators.ts";
import type { Reference } from "../../query/reference.ts";
import { CheckField, TextField } from "../field.tsx";
import { TypedField } from "../reference-field.tsx";
import { type FilterPath, filterPaths, type QueryPlace } from "./filter-paths.ts";
import { ListEditor, OptionEditor, type OptionText, Pick } from "./option-editor.tsx";

/** Edits a filter as groups of conditions. Other expressions stay text. */
export function FilterBuilder({ place, ...option }: OptionText & { readonly place: QueryPlace }): JSX.Element {
  const paths = filterPaths(place);
  return (
    <OptionEditor label="Filter" read={readFilter} write={writeFilter} {...option}>
      {(tree, change) => <Group node={tree} paths={paths} onChange={change} />}
    </OptionEditor>
  );
}

interface NodeProps<Node> {
  readonly node: Node;
  readonly paths: readonly FilterPath[];
  readonly onChange: (node: Node) => void;
}

const BOTH = [false, true];
const GROUPS = (["and", "or"] as const).flatMap((operator) =>
  BOTH.map((isNegated) => [nameOf(operator, isNegated), { operator, isNegated }] as const),
);
const QUANTIFIERS = (["any", "all"] as const).flatMap((quantifier) =>
  BOTH.map((isNegated) => [nameOf(quantifier, isNegated), { quantifier, isNegated }] as const),
);

function Group({ node, paths, onChange }: NodeProps<FilterGroup>): JSX.Element {
  const { items, operator, isNegated } = node;
  const text = nameOf(operator, isNegated);
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

/** Returns the unfinished condition of a property. Letter case makes no difference in texts. */
export function firstCondition(path: string, property: Property): FilterCondition {
  return condition(path, operatorsFor(property)[0]?.operator ?? "eq", [], { isLowered: isText(property.type) });
}

/** The unfinished condition of a path. */
function startOf(start: FilterPath | undefined): FilterNode {
  if (start === undefined) return { kind: "text", text: "" };
  const begun = firstCondition(start.path, start.property);
  if (start.collection === null) return begun;
  return { kind: "lambda", path: start.collection, quantifier: "any", isNegated: false, condition: begun };
}

function Item({ node, paths, onChange }: NodeProps<FilterNode>): JSX.Element {
  if (node.kind === "group") return <Group {...{ node, paths, onChange }} />;
  const lambda = node.kind === "lambda" ? node : null;
  const condition = node.kind === "condition" ? node : (lambda?.condition ?? null);
  const path = paths.find((each) => each.collection === (lambda?.path ?? null) && each.path === condition?.path);
  const operator = condition && path ? operatorFor(condition, operatorsFor(path.property)) : null;
  if (condition === null || path === undefined || operator === null) {
    const text = node.kind === "text" ? node.text : filterOf([node]);
    const change = (next: string): void => onChange({ kind: "text", text: next });
    return <TextField label="Condition as text" isLabelHidden isCode value={text} onInput={change} />;
  }
  const choices = paths.map((each) => [each.name, startOf(each)] as const);
  const change = (next: FilterCondition): void => onChange(lambda === null ? next : { ...lambda, condition: next });
  return (
    <>
      <Pick label="Property" value={path.name} {...{ choices }} onPick={onChange} />
      {lambda === null ? null : (
        <Pick
          label="How many"
          value={nameOf(lambda.quantifier, lambda.isNegated)}
          choices={QUANTIFIERS}
          onPick={(chosen) => onChange({ ...lambda, ...chosen })}
        />
      )}
      <ConditionFields node={condition} property={path.property} operator={operator} onChange={change} />
    </>
  );
}

/** As long as the typed text is missing or wrong, the condition has no values. */
interface TypedCondition extends FilterCondition {
  readonly typed?: string | null;
}

const LINES = { type: { kind: "primitive", name: "Edm.String" }, isCollection: false, isMultiLine: true } as const;

/** Edits the operator and the value of a condition, which fit the type of its property. */
export function ConditionFields(props: {
  readonly node: TypedCondition;
  readonly property: Property;
  readonly operator: Operator;
  /** Whether the browser says that a value is missing, once the reader goes on. */
  readonly isBegun?: boolean;
  /** What the property refers to as a foreign key. */
  readonly reference?: Reference | null;
  readonly onChange: (node: TypedCondition) => void;
}): JSX.Element {
  const { node, property, operator, isBegun = false, reference = null, onChange } = props;
  const { type } = property;
  const { values } = operator;
  const stated = values === "none" || node.values.length === 0 ? null : node.values.map(literalText).join("\n");
  const typed = node.typed ?? stated;
  const change = (next: Operator, text: string | null, isLowered = node.isLowered): void => {
    const literals = readValues(text, next, type).map(({ literal }) => literal);
    const isWhole = literals.every((literal) => literal !== null);
    onChange({ ...conditionOf(node.path, next, isWhole ? literals : [], isLowered), typed: text });
  };
  const read = readValues(typed, operator, type);
  const missing = read.length > 0 || isBegun ? null : "A value is missing.";
  return (
    <>
      <Pick
        label="Operator"
        value={operator.label}
        choices={operatorsFor(property).map((each) => [each.label, each])}
        onPick={(next) => change(next, next.values === "one" && node.values.length > 1 ? null : typed)}
      />
      {values === "none" ? null : (
        <TypedField
          reference={values === "one" ? reference : null}
          required={isBegun}
          label={values === "many" ? "Values" : "Value"}
          hint={values === "many" ? "One on each line" : null}
          isLabelHidden
          shape={values === "many" ? LINES : { type, isCollection: false }}
          typed={typed}
          isNullable={false}
          error={read.find(({ message }) => message !== null)?.message ?? missing}
          onChange={(text) => change(operator, text)}
        />
      )}
      {values !== "none" && isText(type) ? (
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
